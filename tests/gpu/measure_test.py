#!/usr/bin/env python3
"""pl.measure on a CUDA GPU: the kernels of a call, and what is wrong about a callable.

Needs plumbline_gpu with an extension module for the Python that runs this (installed, or in python/ of the build), torch and
Triton; ends with 77 and the reason if there is no GPU or one of them is missing.
"""

import importlib.util
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

ELEMENTS = 1 << 24


class Measure(unittest.TestCase):
    def setUp(self):
        import torch

        self.x, self.y = (torch.randn(ELEMENTS, device="cuda") for _ in range(2))

    def test_the_kernels_of_a_call_have_names_and_take_its_time(self):
        import plumbline_gpu as pl
        import torch

        found = pl.measure(torch.add, self.x, self.y, kernels=True)
        (kernel,) = found.kernels
        self.assertIn("elementwise", kernel.name)
        self.assertAlmostEqual(kernel.time / found.time, 1, delta=0.25, msg=str(found))  # warm there, cold here
        self.assertGreater(found.clock, 3e8)
        two = pl.measure(lambda x: torch.relu(x).sum(), self.x, kernels=True)
        self.assertGreaterEqual(len(two.kernels), 2, str(two))
        print(found, two, sep="\n")

    def test_times_before_and_after_a_trace_agree(self):
        import plumbline_gpu as pl
        import torch

        times = [pl.measure(torch.add, self.x, self.y, kernels=traced).time for traced in (False, True, False, False)]
        self.assertLess(max(times) / min(times), 1.02, times)

    def test_a_callable_that_stops_working_is_wrong(self):
        import plumbline_gpu as pl
        import torch

        kept = []

        def lazy(x):
            kept.append(None)
            return x + 1 if len(kept) < 20 else torch.zeros_like(x)

        self.assertEqual(pl.measure(lazy, self.x).status, "WRONG")
        kept.clear()
        self.assertEqual(pl.compare(lambda x: x + 1, lazy, self.x).verdict, "WRONG")


if __name__ == "__main__":
    sys.path.append(str(planted.BUILD / "python"))
    for needed in ("torch", "triton", "plumbline_gpu"):
        if importlib.util.find_spec(needed) is None:
            print(f"{sys.executable} has no {needed}")
            sys.exit(planted.SKIPPED)
    planted.main_on_gpu()
