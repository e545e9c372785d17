#!/usr/bin/python3
"""plumbline_bench: the host's clock, a planted GPU, and the format of results. Without pytest.

Argument: the program plumbline.
"""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLUMBLINE = pathlib.Path(sys.argv.pop(1)).absolute()
sys.path.insert(0, str(ROOT / "harness/python"))

import plumbline_gpu as pl
from plumbline_gpu import _host_clock, _machine, _recorder, benchmark, runs


class PlantedClock:
    """A clock that only moves when a callable tells it to."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now

    def perf_counter_ns(self):
        return round(self.now * 1e9)

    def visit(self, seconds):
        """A visit of a callable whose calls take the seconds from the generator `seconds`."""

        def launch():
            self.now += next(seconds)

        clock = types.SimpleNamespace(perf_counter=self.perf_counter, perf_counter_ns=self.perf_counter_ns)
        with mock.patch.object(_host_clock, "time", clock):
            return _host_clock.visit(lambda number: launch)


def always(*values):
    while True:
        yield from values


class HostClock(unittest.TestCase):
    def test_a_steady_callable_has_the_least_blocks_and_its_time(self):
        found = PlantedClock().visit(always(50e-6))
        self.assertEqual((len(found["blocks"]), found["batch"], found["metric"]), (8, 1, "wall_time"))
        self.assertTrue(all(abs(x - 50e-6) < 1e-9 for block in found["blocks"] for x in block))
        self.assertEqual(found["times_s"], sorted(found["times_s"]))

    def test_a_short_one_is_timed_in_batches(self):
        found = PlantedClock().visit(always(1e-6))
        self.assertEqual((found["batch"], len(found["blocks"][0])), (200, 10))

    def test_a_long_one_has_few_samples(self):
        found = PlantedClock().visit(always(2.0))
        self.assertEqual([len(block) for block in found["blocks"]], [1] * 8)

    def test_a_noisy_one_has_more_blocks_until_the_budget_is_spent(self):
        def noisy(seconds):
            for i in range(10**6):
                yield seconds * (1 + i // 11 % 7 / 7)

        self.assertEqual(len(PlantedClock().visit(noisy(100e-6))["blocks"]), 32)
        self.assertIn(len(PlantedClock().visit(noisy(2e-3))["blocks"]), (9, 10))  # 0.25 s

    def test_quantiles_of_student(self):
        for df, exact in ((7, 2.3646), (15, 2.1314), (31, 2.0395)):
            self.assertAlmostEqual(_host_clock._t95(df) / exact, 1, delta=4e-3)


class PlantedGpu:
    """An engine whose launches keep a GPU busy for `busy` seconds, and a session that returns it."""

    is_cuda = True
    environment = {"device_kind": "cuda", "device_uuid": "GPU-1", "device_model": "planted"}

    def __init__(self, busy, waits=False):
        self.busy, self.waits = busy, waits

    def measuring(self, device):
        return contextlib.nullcontext(self)

    def device_of(self, args):
        return "cuda:0"

    def can_be_held(self, launch):
        launch()
        return not self.waits

    def time_block(self, launch, cache, samples, is_held, batch=1):
        launch()
        return {"samples": [self.busy] * samples}

    def visit(self, place, cache, blocks_min, **policy):
        blocks = []
        for number in range(blocks_min):
            place(number)()
            blocks.append([self.busy, self.busy])
        return [{
            "metric": f"gpu_time_{cache}", "unit": "s", "batch": 1, "floor_s": 1e-6, "blocks": blocks,
            "clocks_hz": [1.9e9] * blocks_min, "causes": ["", "thermal"] + [""] * (blocks_min - 2),
            "flags": ["precision not reached"], "temperature_c": 40.0, "power_w": float("nan"), "throttle": "",
        }], {}  # fmt: skip

    def measured(self, call):
        """The benchmark after `call(benchmark)`, in a process that has used a GPU."""
        made = pl.Benchmark("test_x", "x.py::test_x", None, {}, True)
        with mock.patch.dict(sys.modules, {"plumbline_gpu._session": self}), \
                mock.patch.object(pl, "_session", self, create=True), \
                mock.patch.object(benchmark, "_uses_gpu", lambda: True):  # fmt: skip
            call(made)
        return made


class Gpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumbline-benchmark-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_what_keeps_the_gpu_busy_is_timed_by_the_engine_and_recorded(self):
        made = PlantedGpu(5e-6).measured(lambda bench: self.assertEqual(bench(max, 1, 2), 2))
        self.assertEqual((made.readings[0]["metric"], made.device["device_uuid"]), ("gpu_time_cold", "GPU-1"))
        self.assertEqual(made.stats["median"], 5e-6)
        recorder = _recorder.Recorder(self.folder, "s", 0)
        recorder.add("x/python/test=x", "x", "GPU-1", "OK", "", made.readings)
        info = _recorder.begin_info([], {}, self.folder, "0")
        _recorder.write_info(self.folder, info | {"finished_at": "2026-01-01"})
        (visit,) = pl.read_run(self.folder).visits
        self.assertEqual((visit["blocks"], visit["set_aside"], visit["floor"]), (7, 1, 1e-6))
        self.assertEqual((visit["flags"], visit["temperature"]), (["precision not reached"], 40.0))
        self.assertNotEqual(visit["power"], visit["power"])
        told = subprocess.run([PLUMBLINE, "compare", self.folder, self.folder], capture_output=True, text=True)
        self.assertNotIn("error", told.stdout + told.stderr)

    def test_what_gives_the_gpu_nothing_to_do_is_timed_by_the_hosts_clock(self):
        made = PlantedGpu(0.1e-6).measured(lambda bench: bench(sum, range(100)))
        self.assertEqual((made.readings[0]["metric"], made.device), ("wall_time", {}))

    def test_pedantic_counts_its_samples_on_a_gpu_too(self):
        for waits, metric in ((False, "gpu_time_hot"), (True, "wall_time")):
            made = PlantedGpu(5e-6, waits).measured(lambda bench: bench.pedantic(len, ((),), rounds=12, iterations=3))
            (reading,) = made.readings
            self.assertEqual([len(block) for block in reading["blocks"]], [10, 2])
            self.assertEqual((reading["metric"], reading["batch"]), (metric, 3))


class Format(unittest.TestCase):
    def test_the_columns_are_those_of_the_format(self):
        page = (ROOT / "harness/store/README.md").read_text(encoding="utf-8")
        table = page.split("### results.csv")[1].split("A case without samples")[0]
        self.assertEqual(list(runs.RESULT_COLUMNS), re.findall(r"^\| `(\w+)` ", table, re.MULTILINE))

    def test_hashes_are_those_of_the_program(self):
        self.assertEqual(_machine.stable_hash(b""), "cbf29ce484222325")  # FNV-1a's own vectors
        self.assertEqual(_machine.stable_hash(b"foobar"), "85944171f73967e8")
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            run.mkdir()
            text = ",".join(runs.RESULT_COLUMNS) + "\n"
            (run / "results.csv").write_text(text)
            seal = {"bytes": len(text), "hash": _machine.content_hash(text.encode())}
            info = {"format": 1, "measurement_revision": 4, "started_at": "2026-01-01", "finished_at": "2026-01-01"}
            (run / "run.json").write_text(json.dumps(info | {"results": seal}))
            told = subprocess.run([PLUMBLINE, "compare", run, run], capture_output=True, text=True).stderr
            self.assertNotIn("checksum", told)
            (run / "run.json").write_text(json.dumps(info | {"results": seal | {"hash": "0" * 16}}))
            told = subprocess.run([PLUMBLINE, "compare", run, run], capture_output=True, text=True).stderr
            self.assertIn("checksum", told)


if __name__ == "__main__":
    unittest.main()
