#!/usr/bin/env python3
"""Steps of networks on a CUDA GPU: CUDA graphs compute the same, phases add up, copies from the host are a phase, a wrong
gradient is found, steps that overflow are skipped.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, and a Python with torch, which runs this; ends with 77
and the reason if there is no GPU.
"""

import json
import pathlib
import re
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SUITE = planted.ROOT / "suites" / "networks.yaml"
PHASES = ("forward_time", "loss_time", "backward_time", "scale_and_clip_time", "optimizer_time")
WRONG = """
import sys

import torch

sys.path.insert(0, {folder!r})
from resnet import loss, resnet50  # noqa: E402, F401


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return 1.1 * grad


class Conv2d(torch.nn.Conv2d):
    def forward(self, x):
        return self._conv_forward(x, Scaled.apply(self.weight), None)


def wrong():
    network = resnet50()
    network.blocks[3].conv2.__class__ = Conv2d
    return network
"""


# One layer computes its product of half the batch AGAIN times more.
AGAIN = """
import torch
from vit import loss, vit  # noqa: F401

AGAIN = {again}


class Linear(torch.nn.Linear):
    def forward(self, x):
        with torch.no_grad():
            for _ in range(AGAIN):
                super().forward(x[: len(x) // 2])
        return super().forward(x)


def network(**sizes):
    made = vit(**sizes)
    made.blocks[1].up.__class__ = Linear
    return made
"""
# For a token, a step has 3 * 2 * 12 * width^2 multiplications, and the product of `up` 4 * width^2. So twice the half of
# it is 5.6 % of the products, which take a third of the step in TF32.
STEPS = """
suite: steps
measure: {metrics: [gpu_time, kernel_time], cache: [hot], timeout_s: 200}
benchmarks:
  - op: module
    name: vit
    source: again.py
    function: network
    with: {image: 224, patch: 16, width: 1024, heads: 16, hidden: 4096, layers: 2, classes: 100}
    args: {images: "randn[batch, 3, 224, 224]", labels: "randint(0, 100)[batch]"}
    sweep: {dtype: float32, batch: 64, step: training, precision: tf32}
"""


SMALL_VIT = f"""  - op: module
    name: vit
    source: {SUITE.parent / "networks" / "vit.py"}
    function: vit
    with: {{image: 32, patch: 4, width: 192, heads: 3, hidden: 768, layers: 4, classes: 10}}
    args: {{images: "randn[batch, 3, 32, 32]", labels: "randint(0, 10)[batch]"}}
    sweep:
      dtype: float32
"""  # the sweep goes on with batch, step and technique


class OnGpu(planted.Planted):
    device = "cuda"

    def rows(self, *words, code=0):
        run = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        words = ["run", *words, "--device", "cuda", "--rounds", "1", "--metrics", "gpu_time", "-o", run]
        self.expect(code, self.plumbline(*words, PLUMBLINE_PYTHON=sys.executable))
        return planted.read_rows(run)

    def training(self, network, *filters):
        words = [word for text in ("*step=training*", f"{network}/*", *filters) for word in ("--filter", text)]
        rows = self.rows(SUITE, *words)
        self.assertEqual({row["status"] for row in rows} - {"UNSUPPORTED"}, {"OK"}, {row["case"]: row["reason"] for row in rows})
        return rows

    def test_graphs_of_convolutions_compute_the_same(self):
        rows = self.training("resnet50", "!*compile*", "!*accumulate*", "!*checkpoint*", "!*foreach*", "!*transfer*")
        graphs = {row["case"] for row in rows if "graph=true" in row["case"] and row["metric"] == "gpu_time_hot"}
        self.assertEqual(len(graphs), 2)

    def test_graphs_of_attention_compute_the_same_and_are_faster(self):
        rows = self.training("bert_base", "!*compile*", "!*checkpoint*", "!*sdpa*", "!*share*")
        times = {row["case"]: planted.median_of(row) for row in rows if row["metric"] in ("gpu_time_hot", "wall_time") and row["samples"]}
        plain = next(value for case, value in times.items() if "graph" not in case and "precision" not in case and "update" not in case)
        captured = next(value for case, value in times.items() if "graph=true" in case and "precision" not in case)
        self.assertLess(captured, plain)

    def test_phases_add_up_to_the_step(self):
        rows = self.training("lstm")
        for case in {row["case"] for row in rows}:
            of_case = {row["metric"]: row for row in rows if row["case"] == case and row["samples"]}
            whole = planted.median_of(of_case.get("wall_time") or of_case["gpu_time_hot"])
            parts = sum(planted.median_of(of_case[phase]) for phase in PHASES)
            self.assertTrue(0.7 * whole < parts < 1.4 * whole, f"{case}: {parts} of {whole}")

    def test_steps_with_an_allocator_of_torch_use_it_and_are_right(self):
        suite = self.plant("allocated.yaml", f"""
suite: allocated
measure: {{metrics: [gpu_time]}}
benchmarks:
{SMALL_VIT}      batch: 64
      step: training
      technique: [{{allocator: native}}, {{allocator: expandable_segments}}, {{allocator: cuda_malloc_async}}]
""")  # fmt: skip
        rows = self.rows(suite)
        for kind, backend in (("native", "native"), ("expandable_segments", "native"), ("cuda_malloc_async", "cudaMallocAsync")):
            wall, gpu = (next(row for row in rows if f"allocator={kind}" in row["case"] and row["metric"].startswith(metric))
                         for metric in ("wall_time", "gpu_time"))  # fmt: skip
            self.assertEqual(wall["status"], "OK", wall["reason"])
            self.assertEqual(gpu["status"], "UNSUPPORTED", kind)  # the allocator may wait for the device
            self.assertIn(f"'backend': '{backend}'", wall["plan"])
        workers = {row["worker"] for row in rows if row["samples"]}
        self.assertEqual(len(workers), 3, "torch reads the setting once, so each has a process of its own")

    def test_copies_from_the_host_are_a_phase_of_each_step(self):
        suite = self.plant("copied.yaml", f"""
suite: copied
benchmarks:
{SMALL_VIT}      batch: 256
      step: [inference, training]
      technique: [{{}}, {{transfer: pinned}}, {{transfer: pageable}}, {{transfer: pinned, graph: true}}, {{transfer: pageable, graph: true}}]
""")  # fmt: skip
        rows = self.rows(suite)
        self.assertEqual(len({row["case"] for row in rows}), 10)
        images, labels = 256 * 3 * 32 * 32 * 4, 256 * 8
        for row in rows:
            has_transfer, is_graph = "transfer=" in row["case"], "graph=true" in row["case"]
            if "transfer=pageable" in row["case"] and is_graph:
                self.assertEqual(row["status"], "UNSUPPORTED", row["reason"])
                self.assertIn("transfer: pageable: a CUDA graph", row["reason"])
                continue
            if "transfer=pageable" in row["case"] and row["metric"].startswith("gpu_time"):
                self.assertEqual(row["status"], "UNSUPPORTED", "a copy of pageable memory waits for the device")
                self.assertIn("waits for the device", row["reason"])
                continue
            self.assertEqual(row["status"], "OK", f"{row['case']}: {row['reason']}")
            memory = "pageable" if "pageable" in row["case"] else "pinned"
            copied = images + labels * ("step=training" in row["case"])
            if has_transfer:
                self.assertIn(f"'memory': '{memory}'", row["plan"])
                self.assertIn(f"'bytes': {copied}", row["plan"])
            self.assertFalse(row["metric"] == "data_time" and (is_graph or not has_transfer), row["case"])
        copies = {row["case"] for row in rows if row["metric"] == "data_time" and row["samples"]}
        self.assertEqual(len(copies), 4)

    def test_steps_that_overflow_are_skipped_and_told(self):
        self.plant("overflowing.py", """
import torch.nn.functional as F
from vit import vit  # noqa: F401


def loss(outputs, labels):
    return 4000 * F.cross_entropy(outputs, labels)
""")  # fmt: skip
        shutil.copy(SUITE.parent / "networks" / "vit.py", self.folder)
        suite = self.plant("overflowing.yaml", """
suite: overflowing
benchmarks:
  - op: module
    name: vit
    source: overflowing.py
    function: vit
    with: {image: 32, patch: 4, width: 192, heads: 3, hidden: 768, layers: 4, classes: 10}
    args: {images: "randn[batch, 3, 32, 32]", labels: "randint(0, 10)[batch]"}
    sweep: {dtype: float32, batch: 256, step: training, precision: [float16, bfloat16]}
""")  # fmt: skip
        rows = [row for row in self.rows(suite) if row["status"] != "UNSUPPORTED"]  # gpu_time: a scaler asks the device
        self.assertEqual({row["status"] for row in rows}, {"OK"}, {row["case"]: row["reason"] for row in rows})
        skipped = {row["case"]: re.search(r"'skipped_steps': (\d+)", row["plan"]) for row in rows}
        print({case: found and found[0] for case, found in skipped.items()})
        self.assertEqual(len(skipped), 2)
        self.assertEqual({case for case, found in skipped.items() if found and int(found[1]) > 0},
                         {case for case in skipped if "precision=float16" in case})  # fmt: skip

    def pairs(self, again):
        """The comparison of a step with itself, where side b computes a layer's product `again` times more."""
        for side, count in (("a", 0), ("b", again)):
            folder = self.folder / side
            folder.mkdir()
            shutil.copy(SUITE.parent / "networks" / "vit.py", folder)
            (folder / "again.py").write_text(AGAIN.format(again=count), encoding="utf-8")
            (folder / "steps.yaml").write_text(STEPS, encoding="utf-8")
        result = self.folder / "result"
        done = self.plumbline("ab", self.folder / "a", self.folder / "b", "steps.yaml", "--device", "cuda", "-o", result,
                              "--looks", "6", cwd=self.folder, timeout=500, PLUMBLINE_PYTHON=sys.executable)  # fmt: skip
        print(done.stdout)
        self.assertIn(done.returncode, (0, 1, 3), done)
        comparison = json.loads((result / "comparison.json").read_text(encoding="utf-8"))
        print([(f["case"], f["metric"], f["verdict"], f["change"], f["change_low"], f["change_high"]) for f in comparison["findings"]])
        return comparison

    def test_a_step_beside_itself_is_not_called(self):
        verdicts = {(f["case"], f["metric"]): f["verdict"] for f in self.pairs(0)["findings"]}
        self.assertGreaterEqual(len(verdicts), 2, verdicts)
        self.assertFalse({"SLOWER", "FASTER", "BROKEN"} & set(verdicts.values()), verdicts)

    def test_two_percent_in_one_layer_are_found_and_located_in_phase_and_kernel(self):
        comparison = self.pairs(2)
        verdicts = {(f["case"], f["metric"]): (f["verdict"], f["change"]) for f in comparison["findings"]}
        called = {name: change for name, (verdict, change) in verdicts.items() if verdict == "SLOWER"}
        self.assertEqual({case for case, _ in called}, {case for case, _ in verdicts}, verdicts)
        for change in called.values():
            self.assertTrue(0.01 < change < 0.03, verdicts)
        moved = [part for cause in comparison["causes"] if cause["unit"] == "s" for part in cause["moved"]]
        kinds = {kind: [part for part in moved if part["kind"] == kind] for kind in ("phase", "kernel")}
        self.assertEqual(kinds["phase"][0]["name"], "forward", moved)
        self.assertIn("gemm", kinds["kernel"][0]["name"].lower(), moved)

    def test_a_wrong_gradient_of_a_deep_network_is_named(self):
        self.plant("wrong.py", WRONG.format(folder=str(SUITE.parent / "networks")))
        suite = self.plant("wrong.yaml", """
suite: wrong
benchmarks:
  - op: module
    name: wrong
    source: wrong.py
    function: wrong
    args: {images: "randn[batch, 3, 224, 224]", labels: "randint(0, 1000)[batch]"}
    sweep: {dtype: float32, step: training, batch: 32}
""")  # fmt: skip
        row = self.rows(suite, code=1)[0]
        self.assertEqual(row["status"], "WRONG", row["reason"])
        self.assertIn("the gradient of 'blocks.3.conv2.weight' does not fit to the loss", row["reason"])


if __name__ == "__main__":
    planted.main_on_gpu()
