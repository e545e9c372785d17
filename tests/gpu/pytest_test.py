#!/usr/bin/env python3
"""pytest --plumbline on a CUDA GPU: a user's benchmarks are recorded and judged, and a planted slowdown is found.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), plumbline_gpu with an extension module for the Python that runs
this (installed, or in python/ of the build), and torch, Triton and pytest; ends with 77 and the reason if there is no GPU or
one of them is missing.
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

OPS = """
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


def iterated(x):
    y = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), TIMES, SIZE=1024)
    return y


TIMES = 1600
"""
FIXTURE = """
import pytest
import torch

from ops import iterated


@pytest.mark.parametrize("n", [1 << 20, 1 << 22])
def test_iterated(plumbline_bench, n):
    x = torch.rand(n, device="cuda")
    assert plumbline_bench(iterated, x).shape == x.shape


def test_softmax(plumbline_bench):
    x = torch.randn(4096, 4096, device="cuda")
    total = plumbline_bench(torch.softmax, x, -1).sum().item()
    assert abs(total - 4096) < 1
"""
# As pytest-benchmark's documentation writes tests: nothing names Plumbline.
FORM = """
import pytest
import torch


@pytest.mark.benchmark(group="products")
@pytest.mark.parametrize("n", [512, 2048])
def test_mm(benchmark, n):
    x = torch.randn(n, n, device="cuda", dtype=torch.bfloat16)
    assert benchmark(torch.mm, x, x).shape == (n, n)


def test_closure(benchmark):
    x = torch.randn(1 << 22, device="cuda")

    @benchmark
    def result():
        return torch.relu(x)

    assert result.min() >= 0
"""
ITERATED = {f"iterated/python/n={n}/test=test_fixture.test_iterated" for n in (1 << 20, 1 << 22)}


class Pytest(planted.Planted):
    device = "cuda"

    def setUp(self):
        super().setUp()
        self.plant("ops.py", OPS)
        self.plant("test_fixture.py", FIXTURE)
        self.plant("test_form.py", FORM)

    def recorded(self, name, *words):
        """The run that pytest records; all of its tests pass."""
        run = self.folder / name
        python_path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(planted.BUILD / "python")]))
        command = [sys.executable, "-m", "pytest", "-p", "plumbline_gpu.pytest_plugin", "-p", "no:cacheprovider"]
        done = subprocess.run(
            [*command, *words, "--plumbline", name], cwd=self.folder, env=self.environment(PYTHONPATH=python_path),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=planted.LIMIT_S,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{name}: ", done.stdout)
        return run

    def judged(self, base, candidate, *more):
        """(exit code, {case: verdict}, what compare printed)."""
        output = self.folder / "c.json"
        done = self.plumbline("compare", base, candidate, "-o", output, *more)
        self.assertIn(done.returncode, (0, 1, 3), done.stdout + done.stderr)
        return done.returncode, planted.verdicts(output), done.stdout + done.stderr

    def test_the_same_is_not_called_and_five_percent_more_work_is(self):
        old, new = (self.recorded(name, "test_fixture.py") for name in ("old", "new"))
        rows = planted.read_rows(old)
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        self.assertEqual({row["metric"] for row in rows}, {"gpu_time_cold"})
        self.assertEqual(len(rows), 9)  # three cases, three rounds
        environment = json.loads((old / "run.json").read_text(encoding="utf-8"))["environment"]
        self.assertIn("NVIDIA", environment["device_model"])
        code, verdicts, told = self.judged(old, new, "--trust-screen")
        self.assertNotEqual(code, 1, told)
        self.assertTrue(set(verdicts.values()) <= {"SAME", "UNRESOLVED"}, verdicts)

        self.plant("ops.py", OPS.replace("TIMES = 1600", "TIMES = 1680"))
        slow = self.recorded("slow", "test_fixture.py")
        code, verdicts, told = self.judged(old, slow, "--trust-screen")
        self.assertEqual(code, 1, told)
        self.assertEqual({case for case, verdict in verdicts.items() if verdict == "SLOWER"}, ITERATED, verdicts)
        self.expect(0, self.plumbline("accept", old, "--baselines", self.folder / "baselines", "--even-so", "a test"))
        code, verdicts, told = self.judged(self.folder / "baselines", slow, "--trust-screen")
        self.assertEqual((code, {verdicts[case] for case in ITERATED}), (1, {"SLOWER"}), told)

    def test_files_of_pytest_benchmarks_form_are_recorded_without_a_change(self):
        run = self.recorded("form", "test_form.py", "--plumbline-benchmark", "--plumbline-rounds", "1")
        rows = {row["case"]: row for row in planted.read_rows(run)}
        self.assertEqual({row["status"] for row in rows.values()}, {"OK"})
        self.assertEqual({row["metric"] for row in rows.values()}, {"gpu_time_cold"})
        self.assertEqual(sorted(row["op"] for row in rows.values()), ["closure", "products", "products"])


if __name__ == "__main__":
    sys.path.append(str(planted.BUILD / "python"))
    for needed in ("torch", "triton", "pytest", "plumbline_gpu"):
        if importlib.util.find_spec(needed) is None:
            print(f"{sys.executable} has no {needed}")
            sys.exit(planted.SKIPPED)
    planted.main_on_gpu()
