#!/usr/bin/python3
"""Several streams on a CUDA GPU: small launches overlap, priorities matter under load, races are found.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason if there
is no GPU.
"""

import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

STREAMS = planted.ROOT / "suites" / "streams.yaml"
SMALL = "gemm/libtorch/dtype=float16/k=4096/m=256/n=256"
BESIDE = "gemm/libtorch/dtype=float16/k=256/m=256/n=256/stream.background=1"
RACE = """  - op: "planted::two_streams_race"
    name: {name}
    args: {{x: "uniform[n]", lacks: "'{lacks}'"}}
    sweep: {{n: {{from: 10001, to: 10020, step: 1}}, dtype: [float32], stream: [{stream}]}}
"""


def block_medians(row):
    return [
        statistics.median(float(sample) for sample in block.split(";"))
        for block in row["samples"].split("|")
    ]


def timers(row):
    """{name: value} from a row."""
    pairs = (part.split("=") for part in row["timers"].split(";") if part)
    return {name: float(value) for name, value in pairs}


def interval(values):
    """99 % interval of the mean, by the normal approximation: (low, high)."""
    half = 2.58 * statistics.stdev(values) / len(values) ** 0.5
    return statistics.mean(values) - half, statistics.mean(values) + half


class Overlapping(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        run = cls.class_folder / "run"
        words = ["run", STREAMS, "--device", "cuda", "--rounds", "1", "-o", run]
        cls.expect(0, cls.plumbline(*words))
        cls.rows = planted.read_rows(run)

    def row(self, case, metric):
        found = [row for row in self.rows if (row["case"], row["metric"]) == (case, metric)]
        self.assertEqual(len(found), 1, f"{metric} of {case}")
        return found[0]

    def value(self, case, metric):
        return statistics.mean(block_medians(self.row(case, metric)))

    def test_every_case_is_measured(self):
        failed = [row for row in self.rows if row["status"] != "OK"]
        seen = {("stream.graph=true" in row["case"], row["metric"], row["reason"]) for row in failed}
        unseen = "no event is seen inside a graph that is replayed as a whole"
        self.assertEqual(seen, {(True, "stream_latency", unseen)})

    def test_four_small_products_overlap(self):
        for count in (2, 4, 8):
            case = f"{SMALL}/stream.count={count}"
            makespan = self.value(case, "makespan")
            speedup = self.value(case, "speedup")
            overlap = timers(self.row(case, "kernel_span_hot"))["overlap"]
            print(
                f"{count} streams: makespan {1e6 * makespan:.2f} us, speedup {speedup:.2f}, "
                f"efficiency {self.value(case, 'stream_efficiency'):.2f}, overlap by CUPTI {overlap:.2f}"
            )
            self.assertAlmostEqual(self.value(case, "stream_efficiency"), speedup / count, places=2)
        case = f"{SMALL}/stream.count=4"
        self.assertGreater(self.value(case, "speedup"), 1.5)
        self.assertGreater(timers(self.row(case, "kernel_span_hot"))["overlap"], 1.5)

    def test_the_kernels_of_a_fork_join_are_told_and_those_of_a_graph_by_its_nodes(self):
        def kernels(case):
            return json.loads(self.row(case, "kernel_span_hot")["kernels"])

        launched = kernels(f"{SMALL}/stream.count=4")
        self.assertEqual(sum(kernel["calls"] for kernel in launched) % 4, 0, launched)
        self.assertFalse(any("graph_node" in kernel for kernel in launched), launched)
        replayed = kernels(f"{SMALL}/stream.count=4/stream.graph=true")
        nodes = {kernel.get("graph_node") for kernel in replayed}
        self.assertEqual(nodes, set(range(1, len(nodes) + 1)), replayed)
        self.assertGreaterEqual(len(nodes), 4, replayed)

    def test_a_chain_does_not_overlap(self):
        case = f"{SMALL}/stream.count=4/stream.dependencies=chain"
        self.assertLess(self.value(case, "speedup"), 1.1)
        self.assertLess(timers(self.row(case, "kernel_span_hot"))["overlap"], 1.1)

    def test_pinned_copies_hide_behind_each_other_better_than_pageable_ones(self):
        case = "gelu/libtorch/dtype=float32/elements=4194304/stream.count=4/stream.overlap=copy_"
        pinned = self.value(case + "pinned", "speedup")
        pageable = self.value(case + "pageable", "speedup")
        print(f"copies beside computing: speedup {pinned:.2f} pinned, {pageable:.2f} pageable")
        self.assertGreater(pinned, pageable)

    def test_a_launch_of_high_priority_is_delayed_less_by_the_same_load(self):
        delays = {}
        for priority in ("low", "high"):
            row = self.row(f"{BESIDE}/stream.priority={priority}", "makespan")
            quiet = timers(row)["quiet"]
            delays[priority] = interval([value - quiet for value in block_medians(row)])
            low, high = (1e6 * bound for bound in delays[priority])
            print(f"{priority} priority under load: delayed by {low:.1f} to {high:.1f} us")
        self.assertLess(delays["high"][1], delays["low"][0])


class Races(planted.Planted):
    device = "cuda"

    def expect_all_wrong(self, lacks, stream):
        name = f"race_{lacks}"
        text = RACE.format(name=name, lacks=lacks, stream=stream)
        suite = self.plant("races.yaml", planted.suite_text("races", [text]))  # all WRONG: no time
        path = self.folder / f"{lacks}-{len(stream)}"
        self.expect(1, self.plumbline(*self.run_words(suite, path)))
        rows = planted.read_rows(path)
        self.assertEqual([row["status"] for row in rows], 20 * ["WRONG"], rows)
        by_delay = sum("a race between streams" in row["reason"] for row in rows)
        print(f"no {lacks} on {stream}: {by_delay} of 20 only under delays, the others at once")

    def test_a_missing_wait_for_the_inputs_is_found_in_20_of_20_cases(self):
        self.expect_all_wrong("fork", "{}")

    def test_a_missing_wait_for_the_results_is_found_in_20_of_20_cases(self):
        self.expect_all_wrong("join", "{}")

    def test_both_are_found_on_two_declared_streams(self):
        for lacks in ("fork", "join"):
            with self.subTest(lacks):
                self.expect_all_wrong(lacks, "{count: 2}")


if __name__ == "__main__":
    planted.main_on_gpu()
