#!/usr/bin/env python3
"""Python functions on a CUDA GPU: Triton kernels and a torch.compile block, compared with the libraries.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, and a Python with torch and Triton, which runs this;
ends with 77 and the reason if there is no GPU.
"""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SUITE = planted.ROOT / "suites" / "python.yaml"
SAME = ("add=triton_add,cute_add,tile_add", "softmax=triton_softmax,helion_softmax,jax_softmax")  # op=cases
FUNCTIONS = {"triton_add", "triton_softmax", "compiled_gated_layer"}

SLOWED = """
import torch
import triton
import triton.language as tl


@triton.jit
def kernel(x, y, n, times, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    value = tl.load(x + offsets, mask=mask)
    for _ in range(times):
        value = value * 1.0001 + 0.0001
    tl.store(y + offsets, value, mask=mask)


def work(x):
    y = torch.empty_like(x)
    n = x.numel()
    kernel[(triton.cdiv(n, 1024),)](x, y, n, TIMES, SIZE=1024)
    return y


TIMES = 1000


KEPT = {}


def kept_by_address(x):
    if x.data_ptr() not in KEPT:
        KEPT[x.data_ptr()] = work(x)
    return KEPT[x.data_ptr()]


def on_another_stream(x):
    y = torch.empty_like(x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(20):
            kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), TIMES, SIZE=1024)
    return y


def reference(x):
    for _ in range(TIMES):
        x = x * 1.0001 + 0.0001
    return x
"""


def function(name):
    return (f"  - {{op: python, name: {name}, source: ops.py, function: {name}, args: {{x: 'randn[n]'}}, "
            "reference_function: reference, tolerance: 0.001, sweep: {n: [4194304], dtype: [float32]}}\n")


class Python(planted.Planted):
    device = "cuda"

    def run_suite(self, suite, name, *more, code=0):
        run = self.folder / name
        words = ["run", suite, "-o", run, "--device", "cuda", *more]
        self.expect(code, self.plumbline(*words, PLUMBLINE_PYTHON=sys.executable))
        return run

    def test_triton_and_torch_compile_are_right_and_say_what_was_chosen(self):
        run = self.run_suite(SUITE, "run", "--rounds", "1")
        rows = planted.read_rows(run)
        for row in rows:
            is_missing = "No module named" in row["reason"] and row["op"].startswith(("cute", "helion", "jax", "tile"))
            self.assertEqual(row["status"], "UNSUPPORTED" if is_missing else "OK", f"{row['case']}: {row['reason']}")
        self.assertTrue(FUNCTIONS < {row["op"] for row in rows})
        self.assertTrue(FUNCTIONS <= {row["op"] for row in rows if row["metric"] == "compile_time"})
        plans = [json.loads(row["plan"]) for row in rows if row["op"] == "triton_add"]
        self.assertTrue(all("SIZE: " in plan[0]["plan"] for plan in plans), plans)
        kernels = [row["kernels"] for row in rows if row["op"] == "triton_softmax" and row["metric"] == "kernel_time_cold"]
        self.assertTrue(all("softmax_kernel" in text for text in kernels), kernels)
        self.assertFalse([row["case"] for row in rows if row["plan"] and row["op"] in ("helion_softmax", "cute_add")])
        self.assert_one_report_has_all(run, {row["op"] for row in rows})

    def assert_one_report_has_all(self, run, ops):
        """All of them are in the page, and none differs from the libraries' results by more than is allowed."""
        self.expect(0, self.plumbline("report", run, "-o", self.folder / "report.html"))
        page = (self.folder / "report.html").read_text(encoding="utf-8")
        self.assertEqual([op for op in ops if op not in page], [])
        script = pathlib.Path(__file__).with_name("crosscheck.py")
        words = [word for pair in SAME for word in ("--same", pair)]
        done = subprocess.run([sys.executable, script, run, *words], capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        print(done.stdout)

    def test_five_percent_more_work_is_slower_and_the_same_work_is_the_same(self):
        suite = self.plant("s.yaml", "suite: s\nmeasure: {rounds: 3}\nbenchmarks:\n" + function("work"))
        self.plant("ops.py", SLOWED)
        runs = [self.run_suite(suite, name) for name in ("one", "two")]
        self.plant("ops.py", SLOWED.replace("TIMES = 1000", "TIMES = 1050"))
        runs.append(self.run_suite(suite, "three"))
        for candidate, verdicts in ((1, {"SAME"}), (2, {"SLOWER"})):
            words = ("--trust-screen", "-o", self.folder / "c.json")  # two runs alone confirm nothing
            self.plumbline("compare", runs[0], runs[candidate], *words)
            self.assertEqual(set(planted.verdicts(self.folder / "c.json").values()), verdicts)

    def test_results_that_are_kept_or_late_are_wrong(self):
        self.plant("ops.py", SLOWED)
        names = ["kept_by_address", "on_another_stream", "work"]
        suite = self.plant("s.yaml", planted.suite_text("s", [function(name) for name in names]))
        rows = {row["op"]: row for row in planted.read_rows(self.run_suite(suite, "run", code=1))}
        for name in names[:-1]:
            self.assertEqual((rows[name]["status"], rows[name]["samples"]), ("WRONG", ""), rows[name]["reason"])
        self.assertEqual(rows["work"]["status"], "OK", rows["work"]["reason"])


if __name__ == "__main__":
    planted.main_on_gpu()
