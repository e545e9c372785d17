#!/usr/bin/python3
"""On a GPU: memory, graph_time and energy of launches, with planted leaks and allocations.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/ and Python; ends with 77 and the
reason where there is no GPU.
"""

import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402
from planted import benchmark  # noqa: E402

MIB = 1 << 20
LEAK, ALLOCATION = "leak between launches", "allocation inside the window"
RELU = "  - {op: relu, sweep: {elements: [4194304], dtype: [float32]}}\n"  # its result: 16 MiB
NONZERO = (
    "  - {op: 'aten::nonzero', args: {self: \"uniform[n]\"}, sweep: {n: [1000], dtype: [float32]}}\n"
)
PLANTED = [benchmark(op) for op in ("leak", "raw_leak", "fresh_memory", "draws")]


def values(row):
    return [float(value) for block in row["samples"].split("|") for value in block.split(";")]


def timers(row):
    return {name: float(value) for name, value in (part.split("=") for part in row["timers"].split(";"))}


class Stock(planted.Planted):
    device = "cuda"

    @classmethod
    def rows_of(cls, name, benchmarks, metrics, **variables):
        """{(op, metric): row} of a run of one round, and its environment."""
        suite = cls.class_folder / f"{name}.yaml"
        measure = f"metrics: [{metrics}], rounds: 1, warmup_s: 0.002, timeout_s: 100"
        suite.write_text(planted.suite_text(name, benchmarks, measure))
        run = cls.class_folder / name
        cls.expect(0, cls.plumbline(*cls.run_words(suite, run), **variables))
        environment = json.loads((run / "run.json").read_text())["environment"]
        return {(row["op"], row["metric"]): row for row in planted.read_rows(run)}, environment


class Memory(Stock):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # relu runs after cases that may break a capture, in random order.
        cls.rows, _ = cls.rows_of("planted", [RELU, NONZERO, *PLANTED], "memory, graph_time")

    def test_a_launch_holds_its_result_and_nothing_else(self):
        expected = {"peak_memory": 16 * MIB, "allocations": 1, "device_allocations": 0}
        for metric, value in (expected | {"allocation_retries": 0, "leaked_memory": 0}).items():
            with self.subTest(metric):
                row = self.rows["relu", metric]
                self.assertEqual(set(values(row)), {value})
                self.assertEqual((row["flags"], row["status"]), ("", "OK"))
        self.assertEqual(self.rows["relu", "peak_memory"]["unit"], "B")
        self.assertEqual(len(values(self.rows["relu", "peak_memory"])), 16)

    def test_reserved_memory_has_room_for_the_peak_and_fragmentation_is_a_share(self):
        self.assertGreaterEqual(min(values(self.rows["relu", "reserved_memory"])), 16 * MIB)
        for value in values(self.rows["relu", "fragmentation"]):
            self.assertTrue(0 <= value < 1, value)

    def test_tensors_that_launches_leave_behind_are_a_leak(self):
        row = self.rows["planted::leak", "leaked_memory"]
        self.assertEqual(set(values(row)), {MIB})
        self.assertIn(LEAK, row["flags"])

    def test_memory_that_libtorch_knows_nothing_of_leaks_too(self):
        row = self.rows["planted::raw_leak", "leaked_memory"]
        self.assertAlmostEqual(statistics.mean(values(row)), 4 * MIB, delta=2 * MIB)
        self.assertIn(LEAK, row["flags"])

    def test_launches_that_take_memory_from_the_device_are_flagged(self):
        row = self.rows["planted::fresh_memory", "device_allocations"]
        self.assertGreaterEqual(min(values(row)), 1)
        self.assertIn(ALLOCATION, row["flags"])

    def test_no_other_case_is_flagged(self):
        for (op, metric), row in self.rows.items():
            if op not in ("planted::leak", "planted::raw_leak"):
                self.assertNotIn(LEAK, row["flags"], (op, metric))
            # Leaked memory must come from the device every time.
            if op not in ("planted::fresh_memory", "planted::leak"):
                self.assertNotIn(ALLOCATION, row["flags"], (op, metric))

    def test_a_graph_is_replayed_and_what_cannot_be_captured_is_absent_with_the_reason(self):
        row = self.rows["relu", "graph_time"]
        self.assertEqual(row["status"], "OK")
        self.assertGreater(int(row["batch"]), 1)
        # 16 MiB are read and 16 MiB written, with or without a cache.
        self.assertTrue(1e-6 < statistics.median(values(row)) < 1e-3, row["samples"])
        cold = self.rows["relu", "graph_time_cold"]
        self.assertEqual((cold["status"], int(cold["batch"])), ("OK", 1))
        slower = statistics.median(values(cold)) / statistics.median(values(row))
        print(f"relu of a graph: {1e6 * statistics.median(values(row)):.2f} us hot, {slower:.2f} times as much cold")
        self.assertGreater(slower, 1)
        absent = {
            "aten::nonzero": "capturing",
            "planted::draws": "generator",
            "planted::raw_leak": "planted: cudaMalloc",
        }
        for op, words in absent.items():
            with self.subTest(op):
                for metric in ("graph_time", "graph_time_cold"):
                    row = self.rows[op, metric]
                    self.assertEqual((row["status"], row["samples"]), ("UNSUPPORTED", ""))
                    self.assertIn("cannot be captured", row["reason"])
                    self.assertIn(words, row["reason"])

    def test_cases_whose_capture_failed_are_measured_otherwise(self):
        for op in ("aten::nonzero", "planted::draws"):
            self.assertEqual(self.rows[op, "peak_memory"]["status"], "OK")


class Allocators(Stock):
    def measured(self, settings):
        name = settings.replace(":", "_")
        return self.rows_of(name, [RELU], "memory", PYTORCH_ALLOC_CONF=settings)

    def test_expandable_segments_are_counted_alike_and_recorded(self):
        rows, environment = self.measured("expandable_segments:True")
        self.assertEqual(environment["allocator"], "expandable_segments:True")
        self.assertEqual(set(values(rows["relu", "peak_memory"])), {16 * MIB})
        self.assertEqual(set(values(rows["relu", "device_allocations"])), {0})
        self.assertEqual(set(values(rows["relu", "leaked_memory"])), {0})

    def test_with_cuda_malloc_async_bytes_are_known_and_counts_are_absent(self):
        rows, environment = self.measured("backend:cudaMallocAsync")
        self.assertEqual(environment["allocator"], "backend:cudaMallocAsync")
        self.assertEqual(set(values(rows["relu", "peak_memory"])), {16 * MIB})
        self.assertEqual(set(values(rows["relu", "leaked_memory"])), {0})
        for metric in ("allocations", "device_allocations", "allocation_retries", "fragmentation"):
            self.assertEqual(rows["relu", metric]["status"], "UNSUPPORTED")
            self.assertIn("'cudaMallocAsync' does not count it", rows["relu", metric]["reason"])


class Energy(Stock):
    def test_energy_is_power_times_time_and_says_how_far_off_it_may_be(self):
        rows, _ = self.rows_of("energy", [RELU], "energy, graph_time")
        energy, power = rows["relu", "energy"], rows["relu", "power"]
        joules, watts = statistics.mean(values(energy)), statistics.mean(values(power))
        known = timers(energy)
        self.assertEqual((energy["unit"], power["unit"]), ("J", "W"))
        self.assertEqual(len(values(energy)), 3)
        self.assertGreaterEqual(int(energy["batch"]) * known["launch"], 0.499)
        self.assertTrue(50 < watts < 1500, watts)
        self.assertLess(known["energy_uncertainty"], 0.03 * joules)
        self.assertAlmostEqual(joules, watts * known["launch"], delta=0.05 * joules)
        # Back to back from a graph: the GPU never waited for the host.
        replayed = statistics.median(values(rows["relu", "graph_time"]))
        self.assertAlmostEqual(known["launch"], replayed, delta=0.2 * replayed)


if __name__ == "__main__":
    planted.main_on_gpu()
