#!/usr/bin/python3
"""Steps that several processes compute (plumbline_techniques/ranks), with real processes on a CPU."""

import gc
import os
import pathlib
import select
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
import weakref

import small_steps  # noqa: F401, first: it finds torch and the package

import torch  # isort: skip
from plumbline_techniques.hosted import WrongResult
from plumbline_techniques.ranks import lateness, switches
from plumbline_techniques.ranks.first import RankedStep, device_of
from plumbline_techniques.ranks.group import digest
from plumbline_techniques.ranks.rank import described, parts_of
from plumbline_techniques.ranks.team import RankFailure, Team, processors_of
from plumbline_techniques.settings import Settings
from plumbline_techniques.sources import Source

NETWORK = """
    import os

    import torch
    import torch.distributed as dist
    from torch import nn


    class Norm(nn.Module):
        '''Sees its part of the batch.'''

        def __init__(self):
            super().__init__()
            self.norm, self.head = nn.BatchNorm1d(6), nn.Linear(6, 3)

        def forward(self, x):
            return self.head(self.norm(x))


    def loss(outputs, labels):
        return nn.functional.cross_entropy(outputs, labels)


    class Ends(Norm):
        '''Rank 1 ends in its first step.'''

        def forward(self, x):
            if dist.is_initialized() and dist.get_rank() == 1:
                os._exit(3)
            return super().forward(x)


    class Fails(Norm):
        '''Rank 1 cannot make it.'''

        def __init__(self):
            super().__init__()
            if dist.is_initialized() and dist.get_rank() == 1:
                raise NotImplementedError("planted in a factory")


    class Threads(Norm):
        def forward(self, x):
            return super().forward(x) * 0 + torch.get_num_threads()


    class Benchmarks(Norm):
        def forward(self, x):
            return super().forward(x) * 0 + torch.backends.cudnn.benchmark
"""


def numbers(rows, *shape):
    return torch.randn(rows, *shape, generator=torch.Generator().manual_seed(rows))


class Parts(unittest.TestCase):
    def test_each_rank_has_an_equal_part_of_the_batch(self):
        arguments = {"x": numbers(8, 3), "labels": torch.arange(8), "table": numbers(5, 2), "number": 2.5}
        parts = parts_of(arguments, "x", Settings(step="training", ranks=4))
        self.assertTrue(torch.equal(torch.cat([part["x"] for part in parts]), arguments["x"]))
        self.assertEqual([part["labels"].tolist() for part in parts], [[0, 1], [2, 3], [4, 5], [6, 7]])
        self.assertTrue(all(torch.equal(part["table"], arguments["table"]) and part["number"] == 2.5 for part in parts))

    def test_a_batch_that_ranks_do_not_divide_is_refused(self):
        for settings in ({"ranks": 3}, {"ranks": 2, "accumulate": 8}):
            with self.subTest(settings), self.assertRaisesRegex(NotImplementedError, "x has 8 rows, which is no multiple of"):
                parts_of({"x": numbers(8, 3)}, "x", Settings(step="training", **settings))

    def test_a_network_that_communicates_itself_has_all_arguments(self):
        arguments = {"x": numbers(7, 3)}
        for part in parts_of(arguments, "x", Settings(ranks=2, parallel="own")):
            self.assertIs(part["x"], arguments["x"])

    def test_lists_of_tensors_are_refused(self):
        self.assertEqual([item["name"] for item in described({"x": numbers(2), "n": 3})], ["x", "n"])
        with self.assertRaisesRegex(NotImplementedError, "xs is a list of tensors"):
            described({"xs": [numbers(2)]})

    def test_equal_bits_have_equal_digests_in_any_memory_format(self):
        images = numbers(2, 3, 4, 4)
        self.assertEqual(digest(images), digest(images.contiguous(memory_format=torch.channels_last)))
        self.assertNotEqual(digest(images), digest(images.nextafter(torch.tensor(9.0))))
        for dtype in (torch.bool, torch.bfloat16, torch.int64, torch.complex64):
            digest(torch.ones(3).to(dtype))

    def test_ranks_have_their_own_processors_where_there_are_enough(self):
        self.assertEqual([processors_of({0, 2, 4, 6, 8}, rank, 2) for rank in range(2)], [(0, 2), (4, 6, 8)])
        self.assertEqual([processors_of({3, 5}, rank, 4) for rank in range(4)], [(3,), (3,), (5,), (5,)])

    def test_cpu_ranks_share_the_device(self):
        self.assertEqual(device_of(torch.device("cpu"), 3, 4), torch.device("cpu"))


def steps_of(begins, own, all_s=0.01):
    return [[{"begin_s": begin, "own_s": own_s, "all_s": all_s} for begin in begins] for own_s in own]


class Lateness(unittest.TestCase):
    def test_the_rank_that_the_others_wait_for_is_named(self):
        seen = steps_of([0.0, 1.0, 2.0], [0.004, 0.0072, 0.004])
        self.assertEqual(lateness.late(seen), "rank 1 is 3.2 ms behind the first one when it needs the others, 32% of a step "
                                              "(median of 3 steps)")  # fmt: skip
        self.assertEqual([round(each, 6) for each in lateness.behind(seen)["behind_s"]], [0, 0.0032, 0])

    def test_what_is_small_for_the_step_or_the_clock_is_not_late(self):
        self.assertEqual(lateness.late(steps_of([0.0], [0.004, 0.0072], all_s=0.1)), "")
        self.assertEqual(lateness.late(steps_of([0.0], [0.0001, 0.0009], all_s=0.001)), "")

    def test_a_single_disturbed_step_does_not_count(self):
        self.assertEqual(lateness.begins_late([[0, 1, 2], [0, 1.5, 2]], steps_of([0.0], [0.004])), "")
        self.assertRegex(lateness.begins_late([[0, 1, 2], [0.5, 1.5, 2.5]], steps_of([0.0], [0.004])), "rank 1 is 500 ms behind")


STUCK = """
import ctypes, os, signal, sys
sys.path.insert(0, sys.argv[1])
from plumbline_techniques.ranks import team

team.NOTICE_S = 0.2
# As a GPU that waits for a rank that is gone. PyDLL keeps the interpreter meanwhile.
stuck = team.Team([()], abort={"waits": signal.pause, "keeps": ctypes.PyDLL(None).pause}[sys.argv[2]])
os.kill(stuck.processes[0].child.pid, signal.SIGKILL)
if sys.argv[3] == "sees it":
    stuck.has_failed.wait()
    stuck.end()
while True:
    signal.pause()
"""


class Stuck(unittest.TestCase):
    def test_rank_0_that_does_not_see_a_failure_ends_with_it(self):
        package = pathlib.Path(Team.started.__globals__["PACKAGE"]).parent
        for abort in ("waits", "keeps"):
            for rank_0 in ("does not see it", "sees it"):
                words = [sys.executable, "-c", STUCK, str(package), abort, rank_0]
                done = subprocess.run(words, capture_output=True, text=True, timeout=60)
                self.assertEqual((done.returncode, done.stderr), (1, "rank 1 ended with signal 9 (SIGKILL)\n"), (abort, rank_0))


class Ranked(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.source = pathlib.Path(self.folder.name) / f"net_{id(self)}.py"
        self.source.write_text(textwrap.dedent(NETWORK))

    def step(self, function, **settings):
        source, names = str(self.source), {"source": str(self.source), "function": function, "loss": "loss"}
        values = {"step": "training", "ranks": 2, **settings}
        functions = [Source.at(source).named(name) for name in (function, "loss")]
        step = RankedStep(names, os.sched_getaffinity(0), functions[0], {}, functions[1], values, "float32", "cpu")
        self.addCleanup(step.close)
        return step

    def arguments(self, rows=8):
        args = {"x": numbers(rows, 6), "labels": torch.arange(rows) % 3}
        return args, {"x": args["x"].double(), "labels": args["labels"]}

    def held_against_float64(self, step):
        args, exact = self.arguments()
        step.take_arguments(args, [])
        evidence = step.rehearse()
        returned = step()
        for found, expected in zip(step.results(returned), step.reference(**exact)):
            self.assertLess(float((found - expected).norm() / expected.norm()), 1e-5)
        return evidence

    def test_a_step_is_that_of_one_process_with_more_micro_batches(self):
        """Batch norm sees the part of a rank, so that other splits give other gradients."""
        evidence = self.held_against_float64(self.step("Norm", accumulate=2))
        self.assertIn("'number': 2, 'backend': 'gloo'", evidence["ranks"])

    def test_each_rank_has_its_share_of_the_operations(self):
        step = self.step("Norm")
        step.take_arguments(self.arguments()[0], [])
        step.rehearse()
        self.assertEqual(step.flops({}), 3 * 2 * 8 * 6 * 3 / 2)
        before = {name: weight.clone() for name, weight in step.step.weights().items()}
        step()
        self.assertTrue(all(torch.equal(weight, before[name]) for name, weight in step.step.weights().items()))

    def test_new_arguments_reach_all_ranks(self):
        step = self.step("Norm")
        self.held_against_float64(step)
        args, exact = ({name: value.flip(0) * 2 if name == "x" else value for name, value in given.items()}
                       for given in self.arguments())  # fmt: skip
        step.take_arguments(args, [])
        loss, gradients = step.results(step())
        expected = step.reference(**exact)
        self.assertLess(float((gradients - expected[1]).norm() / expected[1].norm()), 1e-5)

    def test_processes_are_used_again(self):
        first = self.step("Norm")
        numbers_before = [process.child.pid for process in first.team.processes]
        first.close()
        second = self.step("Norm", bucket_mb=0.001)
        self.assertEqual([process.child.pid for process in second.team.processes], numbers_before)
        self.held_against_float64(second)

    def test_ranks_share_the_threads_and_give_them_back(self):
        torch.set_num_threads(4)
        self.addCleanup(torch.set_num_threads, 1)
        step = self.step("Threads", step="inference")
        step.take_arguments({"x": numbers(8, 6)}, [])
        (output,) = step.results(step()).values()
        self.assertEqual((len(output), float(output.min()), float(output.max())), (8, 2, 2))
        step.close()
        self.assertEqual(torch.get_num_threads(), 4)

    def test_settings_of_torch_reach_all_ranks(self):
        before = switches.switches()
        self.addCleanup(switches.use, before)
        step = self.step("Benchmarks", step="inference")
        for is_on in (True, False):
            torch.backends.cudnn.benchmark = is_on
            step.take_arguments({"x": numbers(8, 6)}, [])
            (output,) = step.results(step()).values()
            self.assertEqual((float(output.min()), float(output.max())), (is_on, is_on))

    def test_a_rank_that_ends_is_the_reason_and_is_not_used_again(self):
        step = self.step("Ends")
        step.take_arguments(self.arguments()[0], [])
        process = step.team.processes[0]
        with self.assertRaisesRegex(RankFailure, "^rank 1 ended with exit code 3"):
            step.results(step())
        step.close()
        self.assertNotIn(process, Team.idle)
        self.held_against_float64(self.step("Norm"))

    def test_a_rank_that_is_killed_between_steps_is_told_at_the_next(self):
        step = self.step("Norm")
        step.take_arguments(self.arguments()[0], [])
        process = step.team.processes[0]
        os.kill(process.child.pid, signal.SIGKILL)
        select.select([process.exit], [], [], 60)
        with self.assertRaisesRegex(RankFailure, r"^rank 1 ended with signal 9 \(SIGKILL\)"):
            for _ in range(3):
                step()

    def test_a_network_that_one_rank_cannot_make_leaves_no_group(self):
        with self.assertRaisesRegex(RankFailure, "^rank 1: NotImplementedError: planted in a factory") as raised:
            self.step("Fails")
        self.assertEqual(raised.exception.answer["kind"], "unsupported")
        self.assertFalse(torch.distributed.is_initialized())
        self.held_against_float64(self.step("Norm"))

    def test_arguments_are_released_with_their_call(self):
        step = self.step("Norm")
        first, second = self.arguments()[0], self.arguments()[0]
        held = weakref.ref(first["x"])
        step.take_arguments(first, [])
        step.take_arguments(second, [])
        step.release(first)
        self.assertIsNotNone(step.mine)
        del first
        gc.collect()
        self.assertIsNone(held())
        step.release(second)
        self.assertIsNone(step.mine)

    def test_what_a_step_changes_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "a step changes cache"):
            self.step("Norm").take_arguments(self.arguments()[0], ["cache"])

    def test_gradients_that_differ_between_ranks_name_the_weight(self):
        step = self.step("Norm")
        step.take_arguments(self.arguments()[0], [])
        returned = step()
        next(iter(step.step.weights().values())).grad.mul_(1.5)
        with self.assertRaisesRegex(WrongResult, r"the gradient of 'norm\.weight' on rank 1 is off by 0\.33 of its size on rank 0"):
            step.results(returned)


if __name__ == "__main__":
    unittest.main(verbosity=2)
