#!/usr/bin/python3
"""Networks in files on the CPU: TorchScript and a package of AOTInductor, loaded without Python, with planted errors."""

import json
import subprocess
import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch

# Writes small.pt, other.pt (its outputs are 3 % larger), heavy.pt (the same results, twice the work), weights.pt and
# small.pt2.
FILES = textwrap.dedent("""
    import torch

    torch.manual_seed(0)


    class Net(torch.nn.Module):
        def __init__(self, factor: float = 1.0, repeats: int = 1):
            super().__init__()
            self.first, self.last = torch.nn.Linear(256, 512), torch.nn.Linear(512, 10)
            self.factor, self.repeats = factor, repeats

        def forward(self, x):
            hidden = torch.relu(self.first(x))
            for _ in range(self.repeats - 1):
                hidden = torch.maximum(hidden, torch.relu(self.first(x)))
            return self.last(hidden) * self.factor


    small = Net().eval()
    for name, net in (("small", small), ("other", Net(1.03)), ("heavy", Net(1.0, 3))):
        net.load_state_dict(small.state_dict())
        torch.jit.save(torch.jit.script(net.eval()), name + ".pt")
    torch.save(small.state_dict(), "weights.pt")
    exported = torch.export.export(small, (torch.randn(64, 256),))
    torch._inductor.aoti_compile_and_package(exported, package_path="small.pt2")
    """)


def benchmark(name, source, more="", rows=64, axes=""):
    return (f"  - {{op: module, name: {name}, source: {source}, {more} args: {{x: 'randn[{rows}, 256]'}}, "
            f"sweep: {{dtype: [float32]{axes}}}}}\n")


class SavedNetworks(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        program = cls.class_folder / "make.py"  # torch.jit.script reads it
        program.write_text(FILES, encoding="utf-8")
        made = subprocess.run([PYTHON, program], cwd=cls.class_folder, capture_output=True, encoding="utf-8",
                              env=cls.environment(), timeout=planted.LIMIT_S)
        if made.returncode != 0:
            raise AssertionError(made.stderr)
        suite = cls.class_folder / "saved.yaml"
        suite.write_text(planted.suite_text("saved", [
            benchmark("script", "small.pt"),
            benchmark("narrow", "small.pt", axes=", rows: [16]").replace("float32", "bfloat16"),
            benchmark("package", "small.pt2", "reference_source: small.pt,"),
            benchmark("other", "small.pt2", "reference_source: other.pt,"),
            benchmark("alone", "small.pt2"),
            benchmark("weights", "weights.pt"),
            benchmark("technique", "small.pt", axes=", precision: [bfloat16]"),
        ]), encoding="utf-8")
        cls.run_path = cls.class_folder / "run"
        cls.plumbline("run", suite, "--device", "cpu", "--rounds", "1", "-o", cls.run_path)
        cls.states = {row["case"].split("/")[0]: (row["status"], row["reason"])
                      for row in planted.read_rows(cls.run_path)}

    def test_right_networks_are_timed_without_python(self):
        for name in ("script", "narrow", "package"):
            self.assertEqual(self.states[name][0], "OK", self.states[name])
        run = json.loads((self.run_path / "run.json").read_text(encoding="utf-8"))
        self.assertEqual(run["environment"]["python"], "")

    def test_a_package_that_computes_something_else_is_wrong(self):
        status, reason = self.states["other"]
        self.assertEqual(status, "WRONG", reason)
        self.assertIn("reference_source", reason)

    def test_a_package_without_a_reference_is_unverified(self):
        status, reason = self.states["alone"]
        self.assertEqual(status, "UNVERIFIED", reason)
        self.assertIn("reference_source", reason)

    def test_what_cannot_run_says_why(self):
        for name, status, text in (("weights", "CRASHED", "torch.jit.save"),
                                   ("technique", "UNSUPPORTED", "precision=bfloat16")):
            self.assertEqual(self.states[name][0], status, self.states[name])
            self.assertIn(text, self.states[name][1])

    def test_a_file_that_became_slower_is_found(self):
        for side, file in (("a", "small.pt"), ("b", "heavy.pt")):
            folder = self.folder / side
            folder.mkdir()
            (folder / "net.pt").write_bytes((self.class_folder / file).read_bytes())
            (folder / "net.yaml").write_text(planted.suite_text("net", [benchmark("net", "net.pt", rows=512)]))
        out = self.folder / "ab"
        done = self.plumbline("ab", "a", "b", "net.yaml", "--device", "cpu", "--looks", "6", "-o", out, cwd=self.folder)
        self.expect(1, done)
        self.assertEqual(list(planted.verdicts(out / "comparison.json").values()), ["SLOWER"])


if __name__ == "__main__":
    planted.main()
