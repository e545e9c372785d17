#!/usr/bin/python3
"""import plumbline_gpu: what a caller sees, on a CPU with torch. Pairs are judged on planted readings."""

import ast
import inspect
import math
import pathlib
import random
import sys
import types
import unittest

if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv.pop(1))  # build/python

try:
    import torch
    from plumbline_gpu import _engine
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import plumbline_gpu as pl
from plumbline_gpu import _kernels, pairs
from plumbline_gpu._placement import Placements
from plumbline_gpu._results import Results, readings_of

torch.set_num_threads(1)  # threads that wait for each other would measure the machine's other load
X = torch.randn(64, 256)


class Package(unittest.TestCase):
    def test_names_are_there_and_an_unknown_one_is_an_attribute_error(self):
        self.assertEqual(set(pl.__all__), {"Benchmark", "Comparison", "ReadError", "Result", "Run", "Table", "case",
                                           "compare", "device", "do_bench", "measure", "phase", "read_run", "save_tensors",
                                           "step"})
        for name in pl.__all__:
            self.assertTrue(callable(getattr(pl, name)), name)
        with self.assertRaisesRegex(AttributeError, "do_bnech"):
            pl.do_bnech  # noqa: B018

    def test_devices_that_are_not_there_are_named(self):
        with self.assertRaisesRegex(_engine.Error, "'cuda:99': this machine has"):
            _engine.Engine("cuda:99")
        with self.assertRaisesRegex(_engine.Error, "allowed: cpu, cuda, cuda:N"):
            _engine.Engine("gpu")

    def test_a_type_checker_sees_all_names(self):
        self.assertEqual(set(stub_of("__init__.pyi")) - {"__all__", "__version__"}, set(pl.__all__))

    def test_the_stub_of_the_module_has_its_names_and_arguments(self):
        stub = stub_of("_engine.pyi")
        self.assertEqual(set(stub), {name for name in vars(_engine) if not name.startswith("__")})
        for kind in ("Engine",):
            members = {part.name: part for part in stub[kind].body if isinstance(part, ast.FunctionDef)}
            there = {name for name in vars(getattr(_engine, kind)) if not name.startswith("__")}
            self.assertEqual(set(members) - {"__init__"}, there)
        for function, declared in ((_engine.Engine.visit, members["visit"]), (_engine.Engine.time_block, members["time_block"]),
                                   (_engine.mean_interval, stub["mean_interval"])):  # fmt: skip
            for argument in declared.args.args:
                self.assertIn(argument.arg, function.__doc__, declared.name)


def stub_of(name):
    """What a stub of the package declares, by name."""
    tree = ast.parse((pathlib.Path(pl.__file__).parent / name).read_text(encoding="utf-8"))
    found = {alias.asname: alias for part in tree.body if isinstance(part, ast.ImportFrom) for alias in part.names if alias.asname}
    found |= {part.target.id: part for part in tree.body if isinstance(part, ast.AnnAssign)}
    return found | {part.name: part for part in tree.body if isinstance(part, (ast.ClassDef, ast.FunctionDef))}


class DoBench(unittest.TestCase):
    def test_takes_what_tritons_takes(self):
        try:
            from triton.testing import do_bench
        except ImportError:
            self.skipTest("no triton")
        theirs, ours = inspect.signature(do_bench).parameters, inspect.signature(pl.do_bench).parameters
        self.assertEqual([(p.name, p.default) for p in theirs.values()],
                         [(p.name, p.default) for p in list(ours.values())[: len(theirs)]])

    def test_returns_milliseconds_in_each_mode(self):
        softmax = lambda: torch.softmax(X, -1)  # noqa: E731
        samples = pl.do_bench(softmax, rep=20, return_mode="all", device="cpu")
        self.assertGreaterEqual(len(samples), 12)
        self.assertTrue(all(1e-4 < sample < 1e3 for sample in samples), samples)
        low, middle, high = pl.do_bench(softmax, rep=20, quantiles=[0.1, 0.5, 0.9], device="cpu")
        self.assertTrue(low <= middle <= high)
        self.assertIsInstance(pl.do_bench(softmax, rep=5, quantiles=[0.5], device="cpu"), float)
        self.assertLess(pl.do_bench(softmax, rep=5, return_mode="min", device="cpu"),
                        pl.do_bench(softmax, rep=5, return_mode="max", device="cpu"))

    def test_ten_times_the_work_takes_longer(self):
        once = pl.do_bench(lambda: X @ X.T, rep=20, return_mode="min", device="cpu")
        often = pl.do_bench(lambda: [X @ X.T for _ in range(10)], rep=20, return_mode="min", device="cpu")
        self.assertGreater(often, 3 * once)

    def test_gradients_are_dropped_before_each_launch(self):
        weight = torch.randn(8, 8, requires_grad=True)
        seen = []

        def step():
            seen.append(weight.grad is None)
            (weight * 2).sum().backward()

        pl.do_bench(step, rep=1, warmup=0, grad_to_none=[weight], device="cpu")
        self.assertTrue(seen and all(seen))

    def test_nonsense_is_refused_and_what_the_callable_raises_comes_through(self):
        for wrong in ({"return_mode": "mode"}, {"quantiles": [2]}, {"rep": 0}, {"warmup": -1}):
            with self.assertRaises(ValueError, msg=wrong):
                pl.do_bench(lambda: None, device="cpu", **wrong)
        with self.assertRaisesRegex(TypeError, "fn: found a value of type Tensor, expected a callable"):
            pl.do_bench(X + X)
        with self.assertRaises(ZeroDivisionError):
            pl.do_bench(lambda: 1 / 0, device="cpu")
        self.assertGreater(pl.do_bench(lambda: X + X, rep=1, device="cpu"), 0)  # also works afterwards


class Measure(unittest.TestCase):
    def test_a_right_result_has_a_time_and_an_interval(self):
        found = pl.measure(torch.add, X, X, reference=lambda a, b: a + b, device="cpu")
        self.assertEqual((found.status, found.metric, found.name), ("OK", "wall_time", "add"))
        self.assertTrue(found.interval[0] <= found.time <= found.interval[1])
        self.assertGreaterEqual(len(found.samples), 2)
        self.assertIn("wall_time", str(found))

    def test_a_wrong_result_has_none(self):
        found = pl.measure(lambda a: a * 1.01, X, reference=lambda a: a, name="off", device="cpu")
        self.assertEqual((found.status, found.time, found.interval), ("WRONG", None, None))
        self.assertIn("relative L2 error 0.01, allowed 0.0001", found.reason)
        self.assertIn("WRONG", str(found))

    def test_a_callable_that_stops_working_while_it_is_timed_is_wrong(self):
        calls = []

        def lazy(a):
            calls.append(1)
            return a + 1 if len(calls) < 4 else torch.zeros_like(a)

        found = pl.measure(lazy, X, device="cpu")
        self.assertEqual(found.status, "WRONG")
        self.assertIn("a timed call is not that of the first call", found.reason)

    def test_a_callable_that_returns_nothing_any_more_is_wrong(self):
        calls = []

        def lazy(a):
            calls.append(1)
            return a + 1 if len(calls) < 4 else None

        self.assertIn("a timed call returned 0 results, the first call 1", pl.measure(lazy, X, device="cpu").reason)

    def test_a_tolerance_of_0_allows_no_error(self):
        def off(a):
            return a * (1 + 1e-6)

        found = [pl.measure(off, X, reference=lambda a: a, tolerance=allowed, device="cpu") for allowed in (0, None)]
        self.assertEqual([one.status for one in found], ["WRONG", "OK"])

    def test_what_is_wrong_with_an_argument_is_told_with_its_name(self):
        with self.assertRaisesRegex(ValueError, "cache: 'warm'.*'cold', 'hot'"):
            pl.measure(torch.add, X, X, cache="warm")
        with self.assertRaisesRegex(TypeError, "fn: found a value of type Tensor, expected a callable"):
            pl.measure(X + X, X)
        with self.assertRaisesRegex(TypeError, "reference: found a value of type Tensor"):
            pl.measure(torch.add, X, X, reference=X)
        for name, value in (("precision", -0.1), ("budget_s", "1"), ("tolerance", math.nan)):
            with self.assertRaisesRegex(ValueError, f"{name}: found .*, expected a number from 0 on"):
                pl.measure(torch.add, X, X, **{name: value})
        with self.assertRaisesRegex(TypeError, "new: found a value of type int, expected a callable"):
            pl.compare(torch.add, 1, X, X)

    def test_a_visit_without_readings_has_its_reason(self):
        with self.assertRaisesRegex(RuntimeError, "nothing could be measured: gpu_time: no events"):
            readings_of(([], {"gpu_time": "no events"}))


class Kernels(unittest.TestCase):
    @staticmethod
    def event(name, start, length_us, kind="CUDA"):
        span = types.SimpleNamespace(start=start, elapsed_us=lambda: length_us)
        return types.SimpleNamespace(name=name, time_range=span, device_type=types.SimpleNamespace(name=kind))

    def test_the_work_of_the_gpu_is_in_its_order_and_calls_of_the_host_are_not_in_it(self):
        events = [self.event("second", 30, 2), self.event("cudaLaunchKernel", 1, 9, "CPU"), self.event("first", 20, 1.5)]
        self.assertEqual(_kernels.work_in(events), (("first", 1.5e-6), ("second", 2e-6)))

    def test_they_are_shown_under_the_time(self):
        found = pl.Result("f", "OK", "", "gpu_time_cold", 8e-6, (7e-6, 9e-6), [], None, Notebooks.DEVICE, (),
                          (_kernels.Kernel("softmax<float>", 7.25e-6),))  # fmt: skip
        self.assertIn("\n  7.25 µs  softmax<float>", str(found))
        self.assertIn("softmax&lt;float&gt;", found._repr_html_())

    def test_a_cpu_has_none(self):
        self.assertEqual(pl.measure(torch.add, X, X, kernels=True, device="cpu").kernels, ())


class ResultsOfACallable(unittest.TestCase):
    def wrong(self, fn, reference, *args):
        return Results(fn, reference, None).verify(args, {}, args, {})

    def test_shapes_counts_and_infinities_are_told(self):
        self.assertIn("shape (64,), expected (64, 256)", self.wrong(lambda a: a[:, 0], lambda a: a, X))
        self.assertIn("1 results, the reference has 2", self.wrong(lambda a: a, lambda a: (a, a), X))
        self.assertIn("not finite", self.wrong(lambda a: a / 0, lambda a: a, X))
        self.assertEqual(self.wrong(lambda a: a.argmax(-1), lambda a: a.argmax(-1), X), "")
        self.assertIn("other values", self.wrong(lambda a: a.argmax(-1) + 1, lambda a: a.argmax(-1), X))

    def test_the_reference_is_computed_in_float64(self):
        seen = []
        self.wrong(lambda a: a, lambda a: seen.append(a.dtype) or a, X.half())
        self.assertEqual(seen, [torch.float64])


class PlacesOfArguments(unittest.TestCase):
    def test_copies_hold_the_values_and_strides_at_places_that_a_number_determines(self):
        odd = torch.randn(6, 10)[:, ::2].t()
        places = Placements((X, [odd, 3]), {"mask": X > 0})
        addresses = []
        for number in (0, 1, 0):
            (x, (view, three)), kwargs = places.at(number)
            self.assertTrue(torch.equal(x, X) and torch.equal(view, odd) and torch.equal(kwargs["mask"], X > 0))
            self.assertEqual((view.stride(), three), (odd.stride(), 3))
            addresses.append(x.data_ptr())
        self.assertEqual(addresses[0], addresses[2])
        self.assertNotEqual(addresses[0], addresses[1])

    def test_copies_do_not_overlap_and_originals_stay_as_they_are(self):
        a, b = torch.zeros(1000), torch.ones(1000)
        for number in range(50):
            (first, second), _ = Placements((a, b), {}).at(number)
            first += 5
            self.assertTrue(torch.equal(second, b))
        self.assertTrue(torch.equal(a, torch.zeros(1000)))

    def test_expanded_tensors_keep_their_strides(self):
        wide = torch.randn(8, 1).expand(8, 32)
        (copy,), _ = Placements((wide,), {}).at(0)
        self.assertTrue(torch.equal(copy, wide))
        self.assertEqual(copy.stride(), (1, 0))

    def test_leaves_that_need_gradients_are_leaves_that_need_gradients(self):
        (w,), _ = Placements((torch.randn(4, requires_grad=True),), {}).at(0)
        (w * w).sum().backward()
        self.assertEqual(w.grad.shape, (4,))


class Notebooks(unittest.TestCase):
    """A notebook shows the same numbers as `print`, and the verdict in words."""

    DEVICE = {"name": "cuda:0", "model": "NVIDIA H200"}

    def compared(self, verdict, change, *interval):
        return pairs.Comparison(verdict, "", change, interval, 12, 12.4e-6, 12.6e-6, self.DEVICE)

    def assert_says(self, found, *texts):
        for text in texts:
            self.assertIn(text, found._repr_html_())

    def test_each_verdict_has_its_change_its_interval_and_its_meaning(self):
        found = self.compared("SLOWER", 0.0204, 0.0101, 0.0305)
        self.assertEqual(str(found), "SLOWER: +2.04 % [+1.01, +3.05] after 12 pairs on NVIDIA H200, 12.4 → 12.6 µs")
        self.assert_says(found, "▲ SLOWER: the new one takes longer", "+2.04 % [+1.01, +3.05]", "12.4 µs", "12.6 µs",
                         ">12<", "NVIDIA H200")  # fmt: skip
        self.assert_says(self.compared("FASTER", -0.02, -0.03, -0.01), "▼ FASTER: the new one takes less time", "-2.00 %")
        self.assert_says(self.compared("SAME", 0, -0.001, 0.001), "● SAME: a change of more than ±1 % is ruled out")
        self.assert_says(self.compared("UNRESOLVED", 0.02, -0.1, 0.13), "◇ UNRESOLVED: the interval is too wide to tell")

    def test_a_measured_time_has_its_interval_and_its_doubts(self):
        found = pl.Result("a<b", "OK", "", "wall_time", 8.72e-3, (6.8e-3, 0.01063), [], None, self.DEVICE, ("noisy",))
        self.assertIn("wall_time  8.72 ms [6.8, 10.63]", str(found))
        self.assert_says(found, "a&lt;b", "wall_time", "8.72 ms [6.8, 10.63]", "NVIDIA H200", "noisy")

    def test_what_is_wrong_has_a_reason_and_no_time(self):
        found = pl.measure(lambda a: a * 1.01, X, reference=lambda a: a, name="off", device="cpu")
        self.assert_says(found, "✕ WRONG", "relative L2 error 0.01, allowed 0.0001")
        self.assertNotIn("wall_time", found._repr_html_())
        found = pl.compare(torch.sin, torch.cos, X, device="cpu")
        self.assert_says(found, "✕ WRONG: the results differ, so nothing was timed", "result 0 differs")
        self.assertNotIn("pairs", found._repr_html_())


class PlantedEngine:
    """Readings of two callables that differ by `change`, with the scatter of a GPU's pairs and blocks."""

    is_cuda = True
    device = {"model": "planted"}

    def __init__(self, change, seed):
        self.random, self.change = random.Random(seed), change

    def can_be_held(self, launch):
        return True

    def time_block(self, launch, cache, samples, batch, is_held):
        launch()
        time = 20e-6 * (1 + self.change * (self.side == "new")) * math.exp(self.random.gauss(0, 0.002))
        return {"samples": [time] * samples}


class Pairs(unittest.TestCase):
    def compared(self, change, seed):
        engine = PlantedEngine(change, seed)

        def side(name):
            def run(x):
                engine.side = name
                return x

            return run

        measured = pairs._Pairs(engine, (side("old"), side("new")), Placements((torch.zeros(1),), {}), "cold")
        for look in pairs._LOOKS:
            measured.measure_until(look)
            verdict, found = pairs._verdict(measured.differences, 0.01 / len(pairs._LOOKS), "cuda")
            if verdict != "UNRESOLVED":
                break
        return verdict, found[0]

    def test_two_percent_are_found_and_nothing_is_found_where_nothing_is(self):
        slower = [self.compared(0.02, seed) for seed in range(20)]
        self.assertEqual({verdict for verdict, _ in slower}, {"SLOWER"})
        self.assertTrue(all(0.01 < change < 0.03 for _, change in slower), slower)
        self.assertEqual({self.compared(-0.02, seed)[0] for seed in range(20)}, {"FASTER"})
        self.assertEqual({self.compared(0, seed)[0] for seed in range(20)}, {"SAME"})

    def test_callables_with_other_results_are_not_timed(self):
        found = pl.compare(torch.sin, torch.cos, X, device="cpu")
        self.assertEqual((found.verdict, found.change, found.pairs), ("WRONG", None, 0))
        self.assertIn("result 0 differs", found.reason)

    def test_a_callable_that_stops_working_while_it_is_timed_is_wrong(self):
        calls = []

        def lazy(a):
            calls.append(1)
            return torch.sin(a) if len(calls) < 10 else torch.zeros_like(a)

        found = pl.compare(torch.sin, lazy, X, device="cpu")
        self.assertEqual((found.verdict, found.change), ("WRONG", None))
        self.assertIn("after they were timed: result 0 differs", found.reason)

    def test_it_runs_on_a_cpu_and_says_what_it_did(self):
        found = pl.compare(torch.sin, torch.sin, X, device="cpu")
        self.assertIn(found.verdict, ("SAME", "UNRESOLVED", "SLOWER", "FASTER"))
        self.assertGreaterEqual(found.pairs, 6)
        self.assertIn("pairs on", str(found))


if __name__ == "__main__":
    unittest.main()
