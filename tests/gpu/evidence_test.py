#!/usr/bin/python3
"""The evidence scripts find what is planted in invented runs. Needs no GPU."""

import io
import json
import math
import pathlib
import shutil
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import aa  # noqa: E402
import agreement  # noqa: E402
import bandwidth  # noqa: E402
import cases  # noqa: E402
import evidence  # noqa: E402
import eviction  # noqa: E402
import peers  # noqa: E402
import speed  # noqa: E402

COLUMNS = "suite case device status metric round part samples block_causes block_clocks"
EMPTY = dict.fromkeys([*COLUMNS.split(), "timers", "kernels", "flags", "spent", "bytes"], "")


def samples(*blocks):
    return "|".join(";".join(map(repr, block)) for block in blocks)


def row(case, metric, *blocks, round_=0, **columns):
    fixed = {"suite": "s", "case": case, "device": "GPU-1", "status": "OK", "part": "1/1"}
    measured = {"metric": metric, "round": str(round_), "samples": samples(*blocks)}
    return {**EMPTY, **fixed, **measured, **columns}


def steady(case, metric, seconds, **columns):
    """Three rounds of two blocks of the same value."""
    return [row(case, metric, [seconds], [seconds], round_=r, **columns) for r in range(3)]


def run_of(*rows, **info):
    return evidence.Run(pathlib.Path("planted"), info, list(rows))


class Estimates(unittest.TestCase):
    def test_an_estimate_is_of_medians_in_blocks_then_means_then_a_geometric_mean_over_rounds(self):
        first = row("c", "m", [1.0, 2.0, 9.0], [4.0])  # medians 2 and 4, mean 3
        second = row("c", "m", [12.0], [12.0], round_=1)
        estimate = evidence.estimate_of([first, second])
        self.assertAlmostEqual(estimate.value, 6.0)  # sqrt(3 * 12)
        self.assertEqual(estimate.visits, [3.0, 12.0])
        # Blocks: (2, 4) have a variance of 2 around 3: 2 / 9 / 2 of the visit's log; two visits.
        self.assertAlmostEqual(estimate.block_variance, 2 / 9 / 2 / 4)
        # Visits: log 3 and log 12 are log 4 apart.
        self.assertAlmostEqual(estimate.visit_variance(), math.log(4) ** 2 / 2 / 2)

    def test_a_block_that_was_set_aside_enters_no_estimate(self):
        kept = row("c", "m", [1.0], [50.0], [3.0], block_causes=";thermal;")
        self.assertAlmostEqual(evidence.estimate_of([kept]).value, 2.0)

    def test_a_visit_of_which_nothing_counts_is_passed_over(self):
        lost = row("c", "m", [50.0], block_causes="thermal")
        self.assertIsNone(evidence.estimate_of([lost]))
        kept = row("c", "m", [2.0], round_=1)
        self.assertAlmostEqual(evidence.estimate_of([lost, kept]).value, 2.0)

    def test_the_interval_is_of_students_t_over_the_visits(self):
        visits = [row("c", "m", [value], round_=r) for r, value in enumerate([1.0, 1.1, 1.21])]
        estimate = evidence.estimate_of(visits)  # logs: 0, d, 2 d; deviation d
        self.assertAlmostEqual(estimate.half_width(), 4.303 * math.log(1.1) / math.sqrt(3))

    def test_quantiles_are_interpolated(self):
        self.assertAlmostEqual(evidence.quantile([4, 1, 3, 2], 0.5), 2.5)
        self.assertAlmostEqual(evidence.quantile(list(range(101)), 0.99), 99.0)

    def test_calibration_is_the_runs_else_the_median_of_its_workers(self):
        workers = [{"calibration": {"floor": value}} for value in (1, 2, 9)]
        self.assertEqual(run_of(workers=workers).calibration("floor"), 2)
        self.assertEqual(run_of(workers=workers, calibration={"floor": 5}).calibration("floor"), 5)
        self.assertIsNone(run_of().calibration("floor"))


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-evidence-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def test_a_run_without_its_torn_last_row_is_read(self):
        header = "suite,case,metric,round,part,samples,device,status"
        whole = "s,c,m,0,1/1,1e-6;2e-6|3e-6,GPU-7,OK"
        (self.folder / "results.csv").write_text(f"{header}\n{whole}\ns,d,m,0")
        (self.folder / "run.json").write_text(json.dumps({"environment": {"device_uuid": "GPU-7"}}))
        run = evidence.read_run(self.folder)
        self.assertEqual([r["case"] for r in run.rows], ["c"])
        self.assertEqual(run.devices(), ["GPU-7"])

    def test_what_is_no_run_is_refused_with_its_path(self):
        with self.assertRaisesRegex(evidence.Unusable, str(self.folder)):
            evidence.read_run(self.folder)

    def test_a_peers_estimate_is_the_median_over_its_processes(self):
        paths = []
        for number, seconds in enumerate([3e-6, 1e-6, 2e-6]):
            paths.append(self.folder / f"{number}.csv")
            paths[-1].write_text(
                f"case,peer,seconds,device\nc,nvbench,{seconds},GPU-{number % 2}\n"
            )
        self.assertEqual(evidence.read_peers(paths), ({"c": {"nvbench": 2e-6}}, ["GPU-0", "GPU-1"]))


class Tables(unittest.TestCase):
    def test_a_table_is_text_or_markdown(self):
        text = evidence.table(["case", "us"], [["a", 1], ["long", 12.5]])
        self.assertEqual(text, "case    us\n----  ----\na        1\nlong  12.5\n")
        markdown = evidence.table(["case", "us"], [["a|b", 1]], markdown=True)
        self.assertEqual(markdown, "| case | us |\n|---|---:|\n| a\\|b | 1 |\n")


def traced(case, gpu_time, untraced, traced_, span, kernels, timers_span=None):
    """The rows of a case in both profiles; `timers_span` if it differs from the estimate's."""
    timers = f"event_untraced={untraced};event_traced={traced_};span={timers_span or span}"
    names = json.dumps([{"name": "k", "calls": 1}, {"name": "l", "calls": 2}])
    return [
        *steady(case, "gpu_time_cold", gpu_time),
        *steady(case, "kernel_time_cold", kernels, timers=timers, kernels=names),
        *steady(case, "kernel_span_cold", span),
    ]


class AgreementOfTimers(unittest.TestCase):
    def test_two_percent_are_listed_with_the_part_that_makes_most_of_them(self):
        rows = traced("slow", 102e-6, 102.1e-6, 100.2e-6, 100e-6, 90e-6)
        found = agreement.agreements(run_of(*rows), "cold")
        self.assertFalse(found[0].is_within)
        self.assertEqual((found[0].cause, found[0].kernels), ("tracing", 3))
        text = agreement.report(found, {}, markdown=False)
        self.assertRegex(text, r"slow +102\.00 +100\.00 +2\.00 +2\.00 +NO")
        # process, tracing, floor, aggregation, gaps, kernels
        self.assertRegex(text, r"slow +2\.00 +-0\.10 +1\.90 +0\.20 +0\.00 +10\.00 +3 +tracing")
        self.assertIn("real cases: 0 of 1 within", text)

    def test_the_parts_add_up_to_the_difference(self):
        rows = traced("c", 11e-6, 12e-6, 14e-6, 9e-6, 8e-6, timers_span=9.5e-6)
        found = agreement.agreements(run_of(*rows), "cold")[0]
        self.assertAlmostEqual(sum(found.parts.values()), found.difference)
        self.assertAlmostEqual(found.parts["floor"], 4.5e-6)
        self.assertAlmostEqual(found.parts["aggregation"], 0.5e-6)

    def test_short_launches_may_differ_by_half_a_microsecond(self):
        for gpu_time, is_within in ((2.4e-6, True), (2.6e-6, False), (1.4e-6, False)):
            found = agreement.Agreement("c", gpu_time, 2e-6, 2e-6, 1, {})
            self.assertEqual(found.is_within, is_within)

    def test_spin_kernels_are_counted_apart_and_peers_stand_beside(self):
        spin = evidence.SPIN + "libtorch/cycles=1980/dtype=float32"
        rows = traced(spin, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6) + traced(
            "c", 5e-6, 5e-6, 5e-6, 4e-6, 4e-6
        )
        found = agreement.agreements(run_of(*rows), "cold")
        text = agreement.report(found, {"c": {"do_bench_median": 7.5e-6}}, markdown=True)
        self.assertIn("spin kernels: 1 of 1 within", text)
        self.assertIn("real cases: 0 of 1 within", text)
        self.assertIn("| c | 5.00 | 4.00 | 1.00 | 25.00 | NO | 7.50 |", text)

    def test_kernels_that_are_not_known_are_not_counted(self):
        for text in ("", None, "gemm_kernel<float, 128>", "7", '["a"]'):
            self.assertEqual(agreement.kernel_count(text), 0)

    def test_without_timers_the_cause_is_unknown(self):
        self.assertEqual(agreement.Agreement("c", 3e-6, 2e-6, 2e-6, 0, {}).cause, "unknown")


class SameThingAgain(unittest.TestCase):
    def test_the_numbers_are_those_computed_by_hand(self):
        a1 = {"long": 100e-6, "other": 50e-6, "short": 1e-6}
        a2 = {"long": 101e-6, "other": 50e-6, "short": 1.04e-6}
        b1 = {"long": 100e-6, "other": 50e-6, "short": 1e-6}
        b2 = {"long": 102e-6, "other": 51e-6, "short": 1e-6}
        spreads = {
            (s.occasions, s.scope): s for s in aa.spreads_of("m", aa.pairs_of([a1, a2, b1, b2]))
        }
        same = spreads["same", ">= 10 us"]  # 1 %, 0, 2 %, 2 %
        self.assertEqual(same.cases, 2)
        self.assertAlmostEqual(same.median, 0.015)
        self.assertAlmostEqual(same.largest, 0.02)
        self.assertAlmostEqual(same.p99, 0.02)
        everything = spreads["same", "all"]  # 4 % and 0 more
        self.assertAlmostEqual(everything.median, 0.015)
        self.assertAlmostEqual(everything.largest, 0.04)
        self.assertAlmostEqual(everything.p99, 0.02 + 0.95 * 0.02)
        across = spreads["across", ">= 10 us"]
        # long: 0, 2 %, -1/101, 1/101; other: 0, 2 %, 0, 2 %
        self.assertAlmostEqual(across.median, 1 / 101)
        self.assertAlmostEqual(across.p90, 0.02)
        self.assertFalse(across.meets_bars)

    def test_two_runs_are_one_occasion(self):
        pairs = aa.pairs_of([{"c": 1e-3}, {"c": 1e-3, "d": 1.0}])
        self.assertEqual([(p.occasions, p.case, p.change) for p in pairs], [("same", "c", 0.0)])

    def test_a_third_run_is_of_another_occasion(self):
        pairs = aa.pairs_of([{"c": 1e-3}, {"c": 1e-3}, {"c": 2e-3}])
        found = [(p.occasions, p.runs, p.change) for p in pairs]
        self.assertEqual(found, [("same", (0, 1), 0), ("across", (0, 2), 1), ("across", (1, 2), 1)])

    def test_runs_of_an_a_and_a_b_have_no_same_occasion(self):
        pairs = aa.pairs_of([{"c": 1e-3}, {"c": 2e-3}], "ab")
        self.assertEqual([(p.occasions, p.runs, p.change) for p in pairs], [("across", (0, 1), 1)])

    def test_peers_of_one_run_alone_are_refused(self):
        def options(*given):
            groups = {f"peers_{r}": [f"{r}.csv"] * (r in given) for r in ("a1", "a2", "b1", "b2")}
            return types.SimpleNamespace(runs=["r1", "r2"], **groups)

        self.assertEqual(aa.check_arguments(options()), [])
        self.assertEqual(aa.check_arguments(options("a1", "b2")), [("a", ["a1.csv"]), ("b", ["b2.csv"])])
        with self.assertRaisesRegex(evidence.Unusable, "peers' CSVs of one run"):
            aa.check_arguments(options("b1"))

    def test_cases_beyond_the_bar_of_their_length_are_listed_largest_first(self):
        first = {"long": 100e-6, "longer": 1e-3, "short": 2e-6, "fine": 1e-3}
        second = {"long": 101.2e-6, "longer": 1.02e-3, "short": 2.05e-6, "fine": 1.009e-3}
        listed = [pair.case for pair in aa.beyond(aa.pairs_of([first, second]))]
        self.assertEqual(listed, ["longer", "long"])  # 2.5 % of a short one is within its 3 %

    def test_the_level_is_the_first_whose_spread_explains_the_change(self):
        def estimate(*visits):
            rows = [
                row("c", "m", *([m] for m in blocks), round_=r) for r, blocks in enumerate(visits)
            ]
            return evidence.estimate_of(rows)

        wide = estimate([90.0, 110.0], [110.0, 90.0], [91.0, 109.0])
        self.assertEqual(aa.level_of(0.02, wide, wide)[0], "placement")
        modes = estimate([98.0, 98.01], [102.0, 102.01], [100.0, 100.01])
        self.assertEqual(aa.level_of(0.02, modes, modes)[0], "process")
        narrow = estimate([100.0, 100.01], [100.1, 100.11], [100.0, 100.02])
        level, errors = aa.level_of(0.02, narrow, narrow)
        self.assertEqual(level, "run")
        self.assertGreater(errors, 3)

    def test_the_table_says_whether_a_bar_is_met(self):
        pairs = aa.pairs_of([{"c": 100e-6}, {"c": 100.1e-6}])
        text = aa.spread_table(aa.spreads_of("gpu_time_cold", pairs), markdown=True)
        self.assertIn("| gpu_time_cold | same | >= 10 us | 1 | 0.10 |", text)
        self.assertIn("met: 0.15 and 1", text)
        pairs = aa.pairs_of([{"c": 100e-6}, {"c": 100.2e-6}])
        self.assertIn("MISSED", aa.spread_table(aa.spreads_of("gpu_time_cold", pairs), False))


class BandwidthOfCopies(unittest.TestCase):
    L2, PEAK = 60e6, 4e12

    def judged(self, metric, moved, seconds, half_width=0.0, uncertainty=0.0):
        crossing = bandwidth.crossing_bytes(metric, moved, self.L2)
        copy = bandwidth.Copy("c", metric, moved, crossing, seconds, half_width)
        return bandwidth.verdict(copy, self.L2, self.PEAK, uncertainty)

    def test_writes_that_fit_l2_need_not_cross(self):
        self.assertEqual(bandwidth.crossing_bytes("gpu_time_cold", 100e6, self.L2), 50e6)
        self.assertEqual(bandwidth.crossing_bytes("gpu_time_cold", 200e6, self.L2), 100e6 + 40e6)
        self.assertEqual(bandwidth.crossing_bytes("gpu_time_hot", 50e6, self.L2), 0)

    def test_a_cold_copy_above_the_bandwidth_is_impossible(self):
        # 8 GB, less 60 MB, must cross at 4 TB/s: 1.985 ms.
        self.assertEqual(self.judged("gpu_time_cold", 8e9, 1.99e-3), "")
        self.assertEqual(self.judged("gpu_time_cold", 8e9, 1.95e-3), "IMPOSSIBLE")

    def test_both_intervals_are_allowed_for(self):
        # 1.8 % above.
        self.assertEqual(self.judged("gpu_time_cold", 8e9, 1.95e-3, half_width=0.02), "")
        self.assertEqual(self.judged("gpu_time_cold", 8e9, 1.95e-3, uncertainty=0.08e12), "")
        self.assertEqual(
            self.judged("gpu_time_cold", 8e9, 1.95e-3, half_width=0.01, uncertainty=0.01e12),
            "IMPOSSIBLE",
        )

    def test_a_hot_copy_may_be_faster_only_while_it_fits_l2(self):
        self.assertEqual(self.judged("gpu_time_hot", 40e6, 5e-6), "in L2")
        self.assertEqual(self.judged("gpu_time_hot", 100e6, 20e-6), "partly in L2")
        self.assertEqual(self.judged("gpu_time_hot", 100e6, 9e-6), "IMPOSSIBLE")
        self.assertEqual(self.judged("gpu_time_hot", 130e6, 30e-6), "IMPOSSIBLE")
        self.assertEqual(self.judged("gpu_time_hot", 130e6, 33e-6), "")

    def test_copies_are_read_from_a_run_by_size(self):
        rows = steady("big", "gpu_time_cold", 1e-3, bytes="4e9")
        rows += steady("small", "gpu_time_cold", 1e-5, bytes="2e6")
        found = bandwidth.copies_of(run_of(*rows), self.L2)
        self.assertEqual(
            [(c.case, c.bytes, c.half_width) for c in found], [("small", 2e6, 0), ("big", 4e9, 0)]
        )
        with self.assertRaisesRegex(evidence.Unusable, "bytes"):
            bandwidth.copies_of(run_of(*steady("c", "gpu_time_cold", 1.0)), self.L2)


class SpeedOfRuns(unittest.TestCase):
    SPENT = "launch=2;measure=3;prepare=0.5;verify=0.25;verify again=0.25"

    def run_of(self, seconds, rows):
        times = {
            "started_at": "2026-01-01T23:59:50Z",
            "finished_at": f"2026-01-02T00:00:{seconds - 10:02}Z",
        }
        return run_of(*rows, **times)

    def visit(self, case, device="GPU-1"):
        """Two metrics, so two rows: the spent time belongs to the visit and counts once."""
        return [
            row(case, m, [1.0], part=f"{i}/2", spent=self.SPENT, device=device)
            for i, m in ((1, "gpu_time_cold"), (2, "kernel_time_cold"))
        ]

    def test_wall_time_is_divided_among_its_parts(self):
        found = speed.breakdown_of(self.run_of(20, self.visit("c") + self.visit("d")))
        self.assertEqual((found.wall, found.cases, found.visits), (20, 2, 2))
        self.assertEqual(
            found.parts,
            {
                "measuring": 4,
                "around them": 2,
                "verification": 1,
                "preparation": 1,
                "elsewhere": 12,
            },
        )
        self.assertAlmostEqual(found.share, 0.2)
        self.assertEqual(len(speed.single_failures(found)), 2)  # 20 % measuring, 10 s a case

    def test_two_gpus_have_twice_the_time(self):
        rows = self.visit("c", "GPU-1") + self.visit("d", "GPU-2")
        found = speed.breakdown_of(self.run_of(20, rows))
        self.assertEqual((found.devices, found.parts["elsewhere"]), (2, 32))
        self.assertAlmostEqual(found.share, 0.1)
        self.assertAlmostEqual(found.cases_per_s, 0.1)

    def test_a_run_that_has_not_finished_is_refused(self):
        with self.assertRaisesRegex(evidence.Unusable, "finished_at"):
            speed.wall_of({"started_at": "2026-01-01T00:00:00Z", "finished_at": None})

    def test_what_moved_between_two_runs_is_of_the_cases_that_both_have(self):
        one = run_of(*steady("c", "m", 1.0), *steady("d", "m", 1.0))
        two = run_of(*steady("c", "m", 1.5))
        self.assertEqual(speed.moved(one, two, "m"), [0.5])


class Evictions(unittest.TestCase):
    def test_the_difference_is_shown_with_its_interval(self):
        rows = steady("c", "gpu_time_cold", 10e-6) + steady("c", "gpu_time_cold_write", 14e-6)
        rows += steady("alone", "gpu_time_cold", 10e-6)
        found = eviction.costs_of(run_of(*rows), "gpu_time")
        self.assertEqual([c.case for c in found], ["c"])
        text = eviction.report(found, "gpu_time", markdown=True)
        self.assertIn("| c | 10.00 | 14.00 | 4.00 | 0.00 | 40.0 |", text)
        self.assertIn("1 of 1 cases are slower", text)


class Peers(unittest.TestCase):
    def test_nvbenchs_times_are_read_by_case_and_skipped_ones_are_not(self):
        def state(index, value, **more):
            times = [{"name": "value", "type": "float64", "value": value}]
            axis = {"name": "case", "type": "int64", "value": str(index)}
            summaries = [{"tag": "nv/cold/time/gpu/mean", "data": times}]
            return {"axis_values": [axis], "summaries": summaries, **more}

        states = [state(0, "1.5e-05"), state(2, "2e-3"), state(1, "1", is_skipped=True)]
        states.append({**state(3, "1"), "summaries": None})
        results = {"benchmarks": [{"states": states}]}
        self.assertEqual(peers.nvbench_times(results), {0: 1.5e-5, 2: 2e-3})

    def test_spin_kernels_need_their_operator(self):
        listed = cases.read_cases(HERE / "cases.csv")
        self.assertEqual(
            len(peers.chosen(listed, "", True)) - len(peers.chosen(listed, "", False)), 10
        )
        self.assertEqual(len(peers.chosen(listed, "topk", False)), 1)

    def test_the_list_of_cases_is_the_one_that_is_generated(self):
        generated = io.StringIO()
        cases.write_cases(generated)
        self.assertEqual(generated.getvalue(), (HERE / "cases.csv").read_text(encoding="utf-8"))
        real = [
            c
            for c in cases.read_cases(HERE / "cases.csv")
            if not c["case"].startswith(evidence.SPIN)
        ]
        self.assertGreaterEqual(len({c["case"] for c in real}), 40)


if __name__ == "__main__":
    unittest.main(verbosity=1)
