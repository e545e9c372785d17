#!/usr/bin/python3
"""Networks that several processes compute, on the CPU: results, planted errors, ranks that are late, die or hang."""

import os
import pathlib
import re
import select
import signal
import sys
import textwrap

import planted

PYTHON = sys.executable  # CTest runs this with a Python that has torch

NETWORK = """
    import os
    import signal
    import time

    import torch
    import torch.distributed as dist
    import torch.nn.functional as F
    from torch import nn


    def rank():
        return dist.get_rank() if dist.is_initialized() else 0


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.up, self.down = nn.Linear(64, 128), nn.Linear(128, 10)

        def forward(self, x):
            return self.down(F.gelu(self.up(x)))


    def loss(outputs, labels):
        return F.cross_entropy(outputs, labels)


    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x.clone()

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None


    class Wrong(Net):
        '''Rank 1 computes other gradients.'''

        def forward(self, x):
            return self.down(Scaled.apply(F.gelu(self.up(x)), 1.2 if rank() == 1 else 1.0))


    class Other(Net):
        '''Rank 1 computes other outputs.'''

        def forward(self, x):
            return super().forward(x) * (1.2 if rank() == 1 else 1.0)


    class Late(Net):
        '''Rank 1 needs 100 ms longer.'''

        def forward(self, x):
            until = time.perf_counter() + (0.1 if rank() == 1 else 0)
            while time.perf_counter() < until:
                pass
            return super().forward(x)


    class Counts(Net):
        '''Something happens on rank 1 in its 40th step.'''

        def __init__(self):
            super().__init__()
            self.times = 0

        def forward(self, x):
            self.times += 1
            if rank() == 1 and self.times == 40:
                self.happens()
            return super().forward(x)


    class Dies(Counts):
        def happens(self):
            print("these are my last words", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)


    class Raises(Counts):
        def happens(self):
            raise ValueError("planted in a rank")


    class Exhausts(Counts):
        def happens(self):
            raise MemoryError("planted in a rank")


    class Waits(Counts):
        '''Rank 1 says who it is and hangs.'''

        def happens(self):
            with open(os.environ["PLANTED_FIFO"], "w") as told:
                told.write(f"{os.getppid()} {os.getpid()}")
            signal.pause()


    class SumOfRanks(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            total = x.clone()
            dist.all_reduce(total)
            return total

        @staticmethod
        def backward(ctx, grad):
            return grad


    class Split(nn.Module):
        '''Each rank has a part of the hidden layer.'''

        def __init__(self):
            super().__init__()
            up, self.bias = nn.Linear(64, 128), nn.Parameter(torch.zeros(10))
            down = nn.Linear(128, 10, bias=False)
            ranks = dist.get_world_size() if dist.is_initialized() else 1
            own = slice(rank() * 128 // ranks, (rank() + 1) * 128 // ranks)
            self.is_alone = ranks == 1
            self.up, self.down = nn.Linear(64, 128 // ranks), nn.Linear(128 // ranks, 10, bias=False)
            with torch.no_grad():
                self.up.weight.copy_(up.weight[own])
                self.up.bias.copy_(up.bias[own])
                self.down.weight.copy_(down.weight[:, own])

        def forward(self, x):
            part = self.down(F.gelu(self.up(x)))
            return (part if self.is_alone else SumOfRanks.apply(part)) + self.bias


    class SumOfGradients(SumOfRanks):
        @staticmethod
        def backward(ctx, grad):
            return SumOfRanks.apply(grad)


    class Doubled(Split):
        '''The gradients of its parts are those of all ranks together.'''

        def forward(self, x):
            part = self.down(F.gelu(self.up(x)))
            return (SumOfGradients.apply(part) if dist.is_initialized() else part) + self.bias


    class HalfSplit(Split):
        '''Communicates, and forgets what it got.'''

        def forward(self, x):
            part = self.down(F.gelu(self.up(x)))
            if dist.is_initialized():
                SumOfRanks.apply(part)
            return part + self.bias
"""


def network(name, sweep, **keys):
    """A benchmark; `keys` are YAML texts."""
    entry = {"op": "module", "name": name, "source": "net.py", "function": "Net",
             "args": "{x: 'randn[batch, 64]', labels: 'randint(0, 10)[batch]'}",
             "sweep": "{batch: 32, dtype: float32, " + sweep + "}", **keys}  # fmt: skip
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in entry.items()) + "}\n"


def ends(process_descriptor):
    """Whether the process ends within a generous time."""
    return bool(select.select([process_descriptor], [], [], 60)[0])


class Ranks(planted.Planted):
    backend = "gloo"
    most = 4  # ranks of a case

    def setUp(self):
        super().setUp()
        self.plant("net.py", textwrap.dedent(NETWORK))

    def suite(self, *benchmarks):
        return self.plant("ranks.yaml", planted.suite_text("ranks", benchmarks))

    def rows(self, *benchmarks, code=0):
        """By name of the benchmark, the first row of each case."""
        run = self.folder / "run"
        self.expect(code, self.plumbline("run", self.suite(*benchmarks), "--device", self.device, "-o", run,
                                         PLUMBLINE_PYTHON=PYTHON))  # fmt: skip
        found = {}
        for row in planted.read_rows(run):
            if row["metric"] in ("wall_time", ""):
                found.setdefault(row["case"], row)
        return found

    def row(self, rows, name):
        return next(row for row in rows.values() if row["op"] == name)

    def test_ranks_compute_what_one_process_does(self):
        rows = self.rows(
            network("trained", "step: training, technique: [{ranks: 2}, {ranks: 2, bucket_mb: 0.001}, "
                               "{ranks: 2, accumulate: 4}, {ranks: 2, precision: bfloat16, optimizer: adamw}, "
                               f"{{ranks: {self.most}, update: foreach}}]"),
            network("used", "step: inference, ranks: [1, 2]"),
            network("split", "step: [inference, training], ranks: [1, 2], parallel: own", function="Split"),
        )  # fmt: skip
        self.assertEqual({row["status"] for row in rows.values()}, {"OK"}, {n: r["reason"] for n, r in rows.items()})
        self.assertEqual(len(rows), 11)
        plans = {name: row["plan"] for name, row in rows.items() if "ranks=" in name}
        self.assertEqual(len(plans), 8)
        for name, plan in plans.items():
            self.assertIn(f"'backend': '{self.backend}'", plan, name)
        one, several = (plans[next(name for name in plans if "trained" in name and ("bucket" in name) == is_small)]
                        for is_small in (False, True))  # fmt: skip
        self.assertRegex(one, r"'bucket_bytes': \[\d+\]")
        self.assertRegex(several, r"'bucket_bytes': \[\d+, \d+")

    def test_a_rank_that_computes_something_else_is_named(self):
        rows = self.rows(network("gradient", "step: training, ranks: 2", function="Wrong"),
                         network("output", "step: inference, ranks: 2", function="Other"),
                         network("doubled", "step: training, ranks: 2, parallel: own", function="Doubled"),
                         network("half", "step: inference, ranks: 2, parallel: own", function="HalfSplit"), code=1)  # fmt: skip
        for name, words in (("gradient", r"the gradient of 'up\.\w+' on rank 1 is off by 0\.2"),
                            ("output", r"the output '0' on rank 1 is off by 0\.2"),
                            ("doubled", r"result 2: 3 of 3 elements are off"),
                            ("half", r"the output '0' on rank 1 is off by")):  # fmt: skip
            row = self.row(rows, name)
            self.assertEqual((row["status"], row["samples"]), ("WRONG", ""), row["reason"])
            self.assertRegex(row["reason"], words)

    def test_a_rank_that_is_late_is_named(self):
        rows = self.rows(network("late", "step: training, ranks: 2", function="Late"),
                         network("late_use", "step: inference, ranks: 2", function="Late"))  # fmt: skip
        for name in ("late", "late_use"):
            row = self.row(rows, name)
            self.assertEqual(row["status"], "OK", row["reason"])
            self.assertIn("rank 1 is late", row["flags"])
            said = re.search(r"rank 1 is (\d+(?:\.\d+)?) ms behind the first one when it needs the others", row["plan"])
            self.assertIsNotNone(said, row["plan"])
            self.assertTrue(60 <= float(said[1]) <= 200, said[0])

    def test_a_rank_that_fails_costs_its_case_only(self):
        rows = self.rows(network("dies", "step: training, ranks: 2", function="Dies"),
                         network("first", "step: training, ranks: 2"),
                         network("raises", f"step: training, ranks: {self.most}", function="Raises"),
                         network("second", "step: inference, ranks: 2"),
                         network("exhausts", "step: inference, ranks: 2", function="Exhausts"),
                         network("third", "step: training"), code=1)  # fmt: skip
        for name, status, words in (
            ("dies", "CRASHED", "rank 1 ended with signal 9 (SIGKILL): these are my last words"),
            ("raises", "CRASHED", "rank 1: ValueError: planted in a rank"),
            ("exhausts", "OUT_OF_MEMORY", "rank 1: MemoryError: planted in a rank"),
            ("first", "OK", ""), ("second", "OK", ""), ("third", "OK", ""),
        ):  # fmt: skip
            row = self.row(rows, name)
            self.assertEqual(row["status"], status, row["reason"])
            self.assertIn(words, row["reason"])

    def test_what_ranks_cannot_do_says_so(self):
        rows = self.rows(
            network("odd", "step: training, ranks: 3"),
            network("micro", "step: training, ranks: 2, accumulate: 32"),
            network("bucket", "step: training, bucket_mb: 1"),
            network("captured", "step: training, ranks: 2, graph: true"),
            network("silent", "step: inference, ranks: 2, parallel: own"),
            network("pruned", "step: inference, ranks: 2, parallel: own, share: clustered", function="Split"),
            network("fine", "step: inference, ranks: 2"),
        )
        for name, words in (
            ("odd", "x has 32 rows, which is no multiple of 3 ranks"),
            ("micro", "x has 32 rows, which is no multiple of 2 ranks times 32 micro-batches"),
            ("bucket", "bucket_mb: only training with ranks above 1"),
            ("captured", "graph: a step of several ranks is not captured"),
            ("silent", "parallel: own: the network does not communicate"),
            ("pruned", "parallel: own: each rank would change another part"),
        ):
            row = self.row(rows, name)
            self.assertEqual(row["status"], "UNSUPPORTED", row["reason"])
            self.assertIn(words, row["reason"])
        self.assertEqual(self.row(rows, "fine")["status"], "OK")

    def started_and_hanging(self):
        """-> (the command, (descriptor, number) of its worker and of its rank 1), when this rank hangs"""
        fifo = self.folder / "told"
        os.mkfifo(fifo)
        command = self.start("run", self.suite(network("waits", "step: training, ranks: 2", function="Waits")), "--device", self.device,
                             "-o", self.folder / "run", PLUMBLINE_PYTHON=PYTHON, PLANTED_FIFO=str(fifo))  # fmt: skip
        numbers = map(int, fifo.read_text().split())
        processes = [(os.pidfd_open(number), number) for number in numbers]
        for descriptor, _ in processes:
            self.addCleanup(os.close, descriptor)
        return command, *processes

    def test_no_rank_outlives_its_worker(self):
        _, (worker, number), (rank, _) = self.started_and_hanging()
        os.kill(number, signal.SIGKILL)
        self.assertTrue(ends(worker) and ends(rank))

    def test_no_rank_outlives_an_interrupted_run(self):
        command, (worker, _), (rank, _) = self.started_and_hanging()
        command.send_signal(signal.SIGINT)
        self.assertTrue(ends(worker) and ends(rank))
        command.communicate(timeout=planted.LIMIT_S)

    def test_a_case_with_a_rank_that_hangs_runs_into_its_time_limit(self):
        fifo = self.folder / "told"
        os.mkfifo(fifo)
        reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reader)
        suite = self.suite(network("waits", "step: training, ranks: 2", function="Waits"), network("fine", "step: training, ranks: 2"))
        run = self.folder / "run"
        self.plumbline("run", suite, "--device", self.device, "--timeout-s", "30", "-o", run, PLUMBLINE_PYTHON=PYTHON,
                       PLANTED_FIFO=str(fifo))  # fmt: skip
        rows = {row["op"]: row for row in planted.read_rows(run)}
        self.assertEqual((rows["waits"]["status"], rows["fine"]["status"]), ("TIMEOUT", "OK"))
        _, number = map(int, os.read(reader, 100).decode().split())
        self.assertFalse(pathlib.Path(f"/proc/{number}").exists())


if __name__ == "__main__":
    planted.main()
