#!/usr/bin/python3
"""plumbline_gpu.case: the suite that is written for a file, and how a worker calls the file's functions."""

import itertools
import pathlib
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "harness" / "python"))

try:
    import torch
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

import plumbline_gpu as pl  # noqa: E402
from plumbline_gpu import _suite_writer, suites  # noqa: E402

HEAD = "import torch\nimport plumbline_gpu as pl\n"


class Files(unittest.TestCase):
    numbers = itertools.count()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def module(self, text):
        path = self.folder / f"planted_{next(self.numbers)}.py"
        path.write_text(HEAD + textwrap.dedent(text))
        return path

    def written(self, text, *texts):
        return _suite_writer.suite_of(str(self.module(text)), texts)["benchmarks"]


class Written(Files):
    def test_each_point_is_a_benchmark_in_the_order_of_the_sweep(self):
        entries = self.written("""
            @pl.case(sweep={"shape": [(2, 3), (4, 5)], "dtype": [torch.float16], "act": [torch.relu, torch.tanh]})
            def activation(shape, dtype, act):
                return act, torch.randn(shape, dtype=dtype)
        """)
        self.assertEqual([{axis: values for axis, [values] in entry["sweep"].items()} for entry in entries],
                         [{"shape": shape, "dtype": "float16", "act": act} for shape in ("2x3", "4x5") for act in ("relu", "tanh")])  # fmt: skip
        self.assertEqual(entries[0]["args"], {"_point": "'shape=2x3/dtype=float16/act=relu'", "arg0": "randn[2, 3]"})
        self.assertEqual((entries[0]["op"], entries[0]["name"], entries[0]["function"]), ("python", "activation", "activation"))
        self.assertNotIn("reference_function", entries[0])

    def test_values_stay_where_those_of_the_function_were(self):
        [entry] = self.written("""
            @pl.case()
            def mixed():
                tensors = [torch.rand(5), torch.randn(4, 6).t(), torch.arange(3, 50), torch.tensor([True, False])]
                tensors.append(torch.randn(6, dtype=torch.float64))
                tensors.append(torch.arange(7, 12345, dtype=torch.int32))
                return (lambda *all: all[0]), *tensors, "a text", 3
        """)
        self.assertEqual(entry["sweep"], {"dtype": ["float32"]})
        self.assertEqual({name: text for name, text in entry["args"].items() if name != "_point"}, {
            "arg0": "rand[5]",
            "arg1": "aten::as_strided(randn[24], [6, 4], [1, 6])",
            "arg2": "randint(3, 50)[47]",
            "arg3": 'randint(0, 2, dtype="bool")[2]',
            "arg4": 'randn(dtype="float64")[6]',
            "arg5": 'randint(1, 12001, dtype="int32")[12338]',
        })  # fmt: skip

    def test_it_is_the_same_each_time_although_values_are_drawn(self):
        text = """
            @pl.case(sweep={"n": [20]})
            def lookup(n):
                return torch.nn.functional.embedding, torch.randint(0, 60, (n,)), torch.randn(60, 2)
        """
        first = self.written(text)
        torch.manual_seed(1)
        before = torch.get_rng_state()
        self.assertEqual(self.written(text)[0]["args"], first[0]["args"])
        self.assertTrue(torch.equal(before, torch.get_rng_state()), "the program's own numbers are as without it")

    def test_lists_and_written_and_kept_arguments(self):
        [entry] = self.written("""
            def into(parts, ends, out):
                torch.cat(parts, out=out)

            @pl.case(writes=["out"], keep=[1])
            def joined():
                return into, [torch.randn(2), torch.randn(3)], torch.tensor([2, 5]), torch.empty(5).fill_(-2)
        """)
        self.assertEqual(list(entry["args"]), ["_point", "arg0_0", "arg0_1", "arg2"])
        self.assertEqual(entry["args"]["arg2"], {"inout": "randn[5]"})

    def test_options_are_those_of_a_suite(self):
        [entry] = self.written("""
            @pl.case({"n": [8]}, torch.relu, name="other", cost=lambda n: {"flops": n}, tolerance=0.1, threshold="3%",
                     tags=["nightly"], devices=["cpu"])
            def relu(n):
                return torch.relu, torch.randn(n)
        """)
        self.assertEqual({key: entry[key] for key in ("name", "cost", "tolerance", "threshold", "tags", "reference_function")},
                         {"name": "other", "cost": {"flops": 8}, "tolerance": 0.1, "threshold": {"slowdown": "3%"},
                          "tags": ["nightly"], "reference_function": "relu.reference"})  # fmt: skip
        self.assertEqual(entry["exclude"]["where"], {"device.kind": "cuda"})

    def test_set_replaces_values_and_reads_them_as_the_sweep_has_them(self):
        text = """
            @pl.case(sweep={"n": [8], "dtype": [torch.float32], "act": [torch.relu, torch.tanh]})
            def activation(n, dtype, act):
                return act, torch.randn(n, dtype=dtype)
        """
        entries = self.written(text, "n=[16, 32]", "dtype=bfloat16", "act=tanh", "absent=3")
        self.assertEqual([entry["args"]["_point"] for entry in entries],
                         [f"'n={n}/dtype=bfloat16/act=tanh'" for n in (16, 32)])
        self.assertEqual(entries[1]["args"]["arg0"], "randn[32]")

    def test_rows_of_values_that_travel_together(self):
        entries = self.written("""
            @pl.case(sweep=[{"m": 2, "n": [3, 4]}, {"m": 5, "n": 6}])
            def zeros(m, n):
                return torch.relu, torch.randn(m, n)
        """)
        self.assertEqual([entry["args"]["arg0"] for entry in entries], ["randn[2, 3]", "randn[2, 4]", "randn[5, 6]"])

    def test_a_point_that_is_not_implemented_is_left_to_the_worker(self):
        entries = self.written("""
            @pl.case(sweep={"n": [1, 2]})
            def even_only(n):
                if n % 2:
                    import not_there
                return torch.relu, torch.randn(n)
        """)
        self.assertEqual([list(entry["args"]) for entry in entries], [["_point"], ["_point", "arg0"]])

    def test_mistakes_name_the_line_of_the_function(self):
        for body, words in (
            ("return torch.relu(torch.randn(3))", r"planted_\d+.py:4: TypeError: f\(\) returned a Tensor; .* \(f, n=1\)"),
            ("return torch.abs, torch.randn(3, dtype=torch.complex64)", r":4: f takes a tensor of complex64 .*keep=\[0\]"),
            ("raise RuntimeError('no CUDA here')", r":6: RuntimeError: no CUDA here .*devices=\['cuda'\]"),
        ):
            with self.assertRaisesRegex(_suite_writer.Mistake, words):
                self.written(f'\n@pl.case(sweep={{"n": [1]}})\ndef f(n):\n    {body}\n')


class Called(unittest.TestCase):
    def test_by_hand_it_is_the_function(self):
        @pl.case(sweep={"n": [1]})
        def double(n):
            """Twice."""
            return torch.mul, torch.ones(n), 2

        self.assertEqual((double.__name__, double.__doc__), ("double", "Twice."))
        self.assertIs(double(3)[0], torch.mul)
        self.assertEqual(double(n=4)[1].shape, (4,))

    def test_by_a_worker_its_callable_gets_the_workers_tensors(self):
        made = []

        @pl.case(sweep={"n": [2, 3]}, reference=lambda parts, scale, kept: kept + scale * sum(parts))
        def scaled(n):
            made.append((n, pl.device()))
            return (lambda parts, scale, kept: (parts, scale, kept)), [torch.randn(n), torch.randn(n)], 5, torch.zeros(n)

        scaled.keep = ("kept",)
        x, y = torch.ones(2), torch.ones(2)
        for _ in range(2):
            parts, scale, kept = scaled(_point="n=2", arg0_0=x, arg0_1=y)
            self.assertTrue(parts[0] is x and parts[1] is y and scale == 5 and torch.equal(kept, torch.zeros(2)))
        self.assertEqual(made, [(2, torch.device("cpu"))], "made once for a point")
        self.assertEqual(scaled.reference(_point="n=2", arg0_0=x, arg0_1=y).tolist(), [10, 10])
        scaled(_point="n=3", arg0_0=torch.ones(3), arg0_1=torch.ones(3))
        self.assertEqual([n for n, _ in made], [2, 3])

    def test_it_keeps_neither_the_workers_tensors_nor_those_of_the_function(self):
        @pl.case(sweep={"n": [2]})
        def cloned(n):
            return torch.clone, torch.randn(n)

        x = torch.ones(2)
        before = sys.getrefcount(x)
        cloned(_point="n=2", arg0=x)
        self.assertEqual(sys.getrefcount(x), before)
        self.assertEqual(suites._made.tensors, {})

    def test_the_decorator_refuses_what_it_cannot_mean(self):
        for options, words in (
            ({"sweep": {"m": [1]}}, r"f\(\) takes no argument 'm'"),
            ({"sweep": {"n": [1, 1]}}, "the axis 'n' has no value, or one twice"),
            ({"sweep": {"n": []}}, "the axis 'n' has no value"),
            ({"sweep": {"n": ["a/b"]}}, "its text in case ids is letters"),
            ({"reference": "x + y"}, "it is a function that takes"),
            ({"devices": "cuda"}, "it is a list of 'cpu', 'cuda' or both"),
            ({"devices": ["tpu"]}, "it is a list of 'cpu', 'cuda' or both"),
        ):
            with self.assertRaisesRegex((TypeError, ValueError), words):
                pl.case(**options)(lambda_of_n())


def lambda_of_n():
    def f(n):
        return torch.relu, torch.randn(n)

    return f


if __name__ == "__main__":
    unittest.main()
