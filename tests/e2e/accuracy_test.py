#!/usr/bin/python3
"""Accuracy of networks in a suite, on the CPU: planted losses are named, seeds are paired, reasons are told."""

import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch

NETWORK = """
    import torch
    import torch.nn.functional as F
    from torch import nn


    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(8, 32), nn.Linear(32, 8)

        def forward(self, x):
            return x + self.down(F.gelu(self.up(x)))


    class Net(nn.Module):
        '''In use, it confuses its classes where products are in bfloat16.'''

        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(Block() for _ in range(2))
            self.head = nn.Linear(8, 4)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            x = self.head(x)
            return x.roll(1, 1) if not self.training and torch.is_autocast_enabled("cpu") else x


    def net():
        return Net()


    def loss(outputs, labels):
        return F.cross_entropy(outputs, labels)


    def points(count, seed):
        generator = torch.Generator().manual_seed(seed)
        labels = torch.randint(0, 4, (count,), generator=generator)
        noise = torch.randn(count, 8, generator=generator)
        return {"x": F.one_hot(labels, 4).float().repeat(1, 2) + noise, "labels": labels}


    def task():
        return {"training": points(400, 1), "held_out": points(500, 2), "steps": 40, "batch": 32,
                "learning_rate": 0.05, "right": lambda outputs, labels: outputs.argmax(1) == labels}


    def without_data():
        from sklearn_that_is_absent.datasets import load_digits


    def no_task():
        return 3
"""


def network(name, technique, accuracy="task", step="training"):
    return (
        f"  - {{op: module, name: {name}, source: net.py, function: net, accuracy: {accuracy}, "
        f"args: {{x: 'randn[batch, 8]', labels: 'randint(0, 4)[batch]'}}, "
        f"sweep: {{batch: 32, dtype: float32, step: {step}, technique: {technique}}}}}\n"
    )


class Accuracy(planted.Planted):
    def setUp(self):
        super().setUp()
        self.plant("net.py", textwrap.dedent(NETWORK))

    def measured(self, *benchmarks, code=0, name="run"):
        measure = planted.MEASURE.replace("rounds: 2", "rounds: 3")
        suite = self.plant("learned.yaml", planted.suite_text("learned", benchmarks, measure=measure))
        run = self.folder / name
        self.expect(code, self.plumbline("run", suite, "--device", self.device, "-o", run, PLUMBLINE_PYTHON=PYTHON))
        return run

    def accuracies(self, run):
        """{case: [accuracy of each round]}"""
        found = {}
        for row in sorted(planted.read_rows(run), key=lambda row: int(row["round"])):
            if row["metric"] == "accuracy" and row["samples"]:
                found.setdefault(row["case"], []).append(float(row["samples"]))
        return found

    def told(self, run):
        """The lines of `report --as before-after`."""
        done = self.plumbline("report", run, "--as", "before-after", "--variants", "technique", "-o",
                              self.folder / "page.html")  # fmt: skip
        self.expect(0, done)
        return done.stdout.replace("\u00a0", " ").splitlines()

    def test_a_technique_that_destroys_accuracy_is_named_first(self):
        run = self.measured(network("net", "[{}, {checkpoint: true}, {precision: bfloat16}]"))
        plain, checkpoint, harmful = self.by_technique(self.accuracies(run))
        self.assertEqual(len(set(plain)), 3, f"three seeds, three accuracies: {plain}")
        self.assertTrue(all(0.6 < value < 1 for value in plain), plain)
        self.assertEqual(checkpoint, plain, "the same seeds in the same rounds")
        self.assertLess(max(harmful), 0.3)
        lines = self.told(run)
        self.assertRegex(lines[0], r"^One variant costs accuracy: precision=bfloat16 [4-9]\d\.\d points")
        self.assertIn("could have stayed unseen", lines[0])
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertRegex(page, "<h1>One variant costs accuracy: precision=bfloat16 ")

    def by_technique(self, found):
        def of(word):
            return next(values for case, values in found.items() if word in case)

        plain = next(v for case, v in found.items() if "checkpoint" not in case and "bfloat16" not in case)
        return plain, of("checkpoint"), of("bfloat16")

    def test_harmless_techniques_are_not_named(self):
        lines = self.told(self.measured(network("net", "[{}, {checkpoint: true}, {update: fused}]")))
        self.assertTrue(lines[0].startswith("No variant costs accuracy beyond what 3 seeds differ by."), lines[0])
        self.assertTrue(any(line.lstrip().startswith("accuracy ") for line in lines))

    def test_every_run_has_the_same_seeds(self):
        benchmark = network("net", "[{}, {accumulate: 2}]")
        one, other = (self.accuracies(self.measured(benchmark, name=name)) for name in ("one", "other"))
        self.assertEqual(one, other)
        self.assertEqual(len(one), 2)

    def test_what_is_missing_is_a_reason_and_the_case_is_measured(self):
        run = self.measured(network("net", "[{}, {checkpoint: true}]", accuracy="without_data"))
        rows = [row for row in planted.read_rows(run) if row["metric"] == "accuracy"]
        self.assertEqual({row["status"] for row in rows}, {"UNSUPPORTED"})
        self.assertTrue(all("No module named 'sklearn_that_is_absent'" in row["reason"] for row in rows), rows[0]["reason"])
        self.assertEqual({row["status"] for row in planted.read_rows(run) if row["metric"] == "wall_time"}, {"OK"})
        self.assertIn("What variants cost in accuracy is not known: ", self.told(run)[0])

    def test_mistakes_in_a_task_are_told(self):
        run = self.measured(network("wrong", "[{}]", accuracy="no_task"), network("none", "[{}]", accuracy="absent"), code=1)
        rows = {row["op"]: row for row in planted.read_rows(run)}
        self.assertIn("no_task() returned a int; allowed: a dict of training", rows["wrong"]["reason"])
        self.assertIn("has no 'absent'", rows["none"]["reason"])


if __name__ == "__main__":
    planted.main()
