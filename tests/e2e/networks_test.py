#!/usr/bin/python3
"""Networks in a suite on the CPU: results, techniques, phases, planted errors and verdicts."""

import json
import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch

NETWORK = """
    import time

    import torch
    import torch.nn.functional as F
    from torch import nn

    WORK_S = 0.0


    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

        def forward(self, x):
            return x + self.down(F.gelu(self.up(x)))


    class Net(nn.Module):
        def __init__(self, width, layers):
            super().__init__()
            self.blocks = nn.ModuleList(Block(width) for _ in range(layers))
            self.head = nn.Linear(width, 10)

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x)


    def net(width=64, layers=2):
        return Net(width, layers)


    def loss(outputs, labels):
        return F.cross_entropy(outputs, labels)


    class Scaled(torch.autograd.Function):
        '''x, with a gradient that is `factor` times too large, and that takes a while.'''

        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            until = time.perf_counter() + WORK_S
            while time.perf_counter() < until:
                pass
            return grad * ctx.factor, None


    class Planted(Net):
        def __init__(self, width, layers, factor):
            super().__init__(width, layers)
            self.factor = factor

        def forward(self, x):
            return self.head(Scaled.apply(self.blocks[1](self.blocks[0](x)), self.factor))


    def wrong_gradient(width=64, layers=2):
        return Planted(width, layers, 1.1)


    def slow_backward(width=64, layers=2):
        return Planted(width, layers, 1.0)


    def overflowing(outputs, labels):
        '''A loss whose scaled gradient is too large for float16 at first.'''
        return 4000 * F.cross_entropy(outputs, labels)


    class Plain(nn.Module):
        def __init__(self):
            super().__init__()
            self.head = nn.Linear(64, 10)

        def forward(self, x):
            return self.head(x)


    def without_blocks():
        return Plain()


    def no_module():
        return 3


    class Stalls(nn.Module):
        '''Takes 2 ms, and each 50th time 60 ms.'''

        def __init__(self):
            super().__init__()
            self.head, self.times = nn.Linear(64, 10), 0

        def forward(self, x):
            self.times += 1
            until = time.perf_counter() + (0.06 if self.times % 50 == 0 else 0.002)
            while time.perf_counter() < until:
                pass
            return self.head(x)


    def stalls():
        return Stalls()
"""

PHASES = ("forward_time", "loss_time", "backward_time", "scale_and_clip_time", "optimizer_time")


def network(name, sweep, **keys):
    """A benchmark; `keys` are YAML texts."""
    entry = {"op": "module", "name": name, "source": "net.py", "function": "net",
             "args": "{x: 'randn[batch, 64]', labels: 'randint(0, 10)[batch]'}",
             "sweep": "{batch: 32, dtype: float32, " + sweep + "}", **keys}  # fmt: skip
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in entry.items()) + "}\n"


class Networks(planted.Planted):
    def setUp(self):
        super().setUp()
        self.plant("net.py", textwrap.dedent(NETWORK))

    def rows(self, *benchmarks, code=0):
        suite = self.plant("networks.yaml", planted.suite_text("networks", benchmarks))
        run = self.folder / f"run-{len(list(self.folder.iterdir()))}"
        self.expect(code, self.plumbline("run", suite, "--device", self.device, "-o", run, PLUMBLINE_PYTHON=PYTHON))
        self.measured = planted.read_rows(run)
        return {row["case"]: row for row in self.measured if row["metric"] in ("wall_time", "")}

    def test_steps_and_techniques_are_held_against_float64(self):
        rows = self.rows(
            network("net", "step: inference, precision: [float32, bfloat16]"),
            network("net_of_width", "step: inference", **{"with": "{layers: 3}"}),
            network("trained", "step: training, technique: [{}, {precision: bfloat16}, {accumulate: 4}, {checkpoint: true}, "
                               "{optimizer: adamw}, {update: foreach}, {share: tied}, {share: clustered}]"),
        )  # fmt: skip
        self.assertEqual({row["status"] for row in rows.values()}, {"OK"}, {n: r["reason"] for n, r in rows.items()})
        self.assertEqual(len(rows), 11)
        precise = next(row for name, row in rows.items() if name.startswith("net/") and "precision" not in name)
        rough = next(row for name, row in rows.items() if name.startswith("net/") and "precision" in name)
        self.assertLess(float(precise["error_rel_l2"]), 1e-5)
        self.assertGreater(float(rough["error_rel_l2"]), 1e-4, "autocast was active")
        self.assertIn("bfloat16", rough["plan"])

    def test_a_training_step_shows_its_phases(self):
        self.rows(network("trained", "step: training"), network("net", "step: inference"))
        trained = {row["metric"]: row for row in self.measured if row["op"] == "trained"}
        self.assertLessEqual(set(PHASES), set(trained))
        self.assertFalse([row for row in self.measured if row["op"] == "net" and row["metric"] in PHASES])
        parts = sum(planted.median_of(trained[phase]) for phase in PHASES)
        whole = planted.median_of(trained["wall_time"])
        self.assertTrue(0.5 * whole < parts < 2 * whole, f"{parts} of {whole}")

    def test_operations_of_products_are_counted_and_a_declared_cost_wins(self):
        self.rows(
            network("net", "step: [inference, training]"),
            network("trained", "step: training, technique: [{checkpoint: true}, {accumulate: 4}, {ranks: 2}]"),
            network("declared", "step: training", cost="{flops: 1000 * batch}"),
        )
        flops = {row["case"]: float(row["flops"]) for row in self.measured if row["metric"] == "wall_time"}
        first, head = 2 * 32 * 64 * 128, 2 * 32 * 64 * 10
        forward = 4 * first + head
        training = 3 * forward - first  # nobody asks for the gradient of x
        expected = {"step=training/": training, "checkpoint=true": training, "accumulate=4": training, "ranks=2": training / 2,
                    "declared": 32000}  # fmt: skip
        for case, found in flops.items():
            wanted = next((value for word, value in reversed(expected.items()) if word in case + "/"), forward)
            self.assertEqual(found, wanted, case)
        self.assertEqual(len(flops), 6)

    def test_requests_have_latencies_that_count_from_their_arrival(self):
        given = "step: inference, rate: [0, 20, 2000]"
        self.rows(network("stalls", given, function="stalls", serve="{requests: 200, rate: rate, items: batch}",
                          args="{x: 'randn[batch, 64]'}"))  # fmt: skip
        rows = {(row["case"].split("rate=")[1].split("/")[0], row["metric"]): row for row in self.measured if row["round"] == "0"}
        median, rare, throughput = (lambda rate: planted.median_of(rows[rate, "latency_p50"]),
                                    lambda rate: planted.median_of(rows[rate, "latency_p99"]),
                                    lambda rate: planted.median_of(rows[rate, "throughput"]))  # fmt: skip
        self.assertTrue(0.002 <= median("0") < 0.02, median("0"))
        self.assertGreaterEqual(rare("0"), 0.06)
        self.assertLess(throughput("20"), 32 * 30)
        self.assertGreater(throughput("0"), throughput("20"))
        self.assertRegex(rows["2000", "latency_p50"]["reason"], "requests come at 2000 a second, and .* the queue grows")
        self.assertEqual(rows["0", "latency_p999"]["reason"], "it takes at least 1000 requests")
        self.assertGreater(throughput("2000"), 0)

    def test_a_wrong_gradient_is_wrong_and_its_layer_is_named(self):
        rows = self.rows(network("wrong", "step: training", function="wrong_gradient"),
                         network("right", "step: training", function="slow_backward"), code=1)  # fmt: skip
        wrong, right = (next(row for row in rows.values() if row["op"] == op) for op in ("wrong", "right"))
        self.assertEqual((wrong["status"], wrong["samples"]), ("WRONG", ""), wrong["reason"])
        self.assertRegex(wrong["reason"], r"the gradient of 'blocks\.\d\.\w+\.\w+' does not fit to the loss")
        self.assertEqual(right["status"], "OK", right["reason"])

    def test_steps_that_overflow_are_skipped_and_told(self):
        rows = self.rows(network("halved", "step: training, precision: float16", loss="overflowing"))
        row = next(iter(rows.values()))
        self.assertEqual(row["status"], "OK", row["reason"])
        self.assertRegex(row["plan"], r"'skipped_steps': [1-9]")

    def test_what_is_not_active_or_no_network_says_so(self):
        rows = self.rows(
            network("no_blocks", "step: training, checkpoint: true", function="without_blocks"),
            network("no_graph", "step: training, graph: true"),
            network("no_copies", "step: training, transfer: pinned"),
            network("no_pool", "step: training, allocator: cuda_malloc_async"),
            network("number", "step: inference", function="no_module"),
            network("no_loss", "step: training", loss="absent"),
            network("plain", "step: inference"),
            network("unknown", "step: inference", args="{x: 'randn[batch, 64]', y: 'randn[batch]'}"),
            code=1,
        )
        for op, status, words in (
            ("no_blocks", "UNSUPPORTED", "checkpoint: the network lists no `blocks`"),
            ("no_graph", "UNSUPPORTED", "graph"),
            ("no_copies", "UNSUPPORTED", "transfer: pinned: a CPU's memory is the host's; --device cuda has both"),
            ("no_pool", "UNSUPPORTED", "allocator: cuda_malloc_async: it gives memory of a GPU; --device cuda has it"),
            ("number", "CRASHED", "a factory returns a torch.nn.Module"),
            ("no_loss", "CRASHED", "has no 'absent'"),
            ("plain", "OK", ""),
            ("unknown", "CRASHED", "found the argument 'y'; allowed: x"),
        ):
            row = next(row for row in rows.values() if row["op"] == op)
            self.assertEqual(row["status"], status, row["reason"])
            self.assertIn(words, row["reason"])

    def test_a_slower_backward_is_slower_in_that_phase(self):
        benchmark = network("slow", "step: training", function="slow_backward")
        path = self.plant("networks.yaml", planted.suite_text("networks", [benchmark], measure=planted.MEASURE_WORK))
        runs = []
        for work in ("0.002", "0.04"):
            self.plant("net.py", textwrap.dedent(NETWORK).replace("WORK_S = 0.0", f"WORK_S = {work}"))
            runs.append(self.folder / f"run-{work}")
            self.expect(0, self.plumbline("run", path, "--device", "cpu", "-o", runs[-1], PLUMBLINE_PYTHON=PYTHON))
        self.plumbline("compare", *runs, "--trust-screen", "-o", self.folder / "c.json")
        self.assertEqual(set(planted.verdicts(self.folder / "c.json").values()), {"SLOWER"})
        backward = [next(planted.median_of(row) for row in planted.read_rows(run) if row["metric"] == "backward_time")
                    for run in runs]  # fmt: skip
        self.assertGreater(backward[1] - backward[0], 0.02)
        cause = json.loads((self.folder / "c.json").read_text(encoding="utf-8"))["causes"][0]
        first = cause["moved"][0]
        self.assertEqual((first["kind"], first["name"]), ("phase", "backward"))
        self.assertGreater(first["after_s"] - first["before_s"], 0.02)


if __name__ == "__main__":
    planted.main()
