#!/usr/bin/python3
"""plumbline-gbench: Google Benchmark's own compare.py finds the planted change in its files."""

import json
import pathlib
import subprocess
import sys

import planted
from planted import benchmark, work

GBENCH = planted.BIN / "plumbline-gbench"
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")  # Debian: libbenchmark-tools

# Five repetitions against five: the smallest p of a U test is 0.008; with three it is 0.1.
MEASURE = planted.MEASURE_WORK.replace("rounds: 3", "rounds: 5")
SIZES = (100, 200, 400)
ALPHA = 0.05
CLOSE = 0.2  # tolerance for a time set by the clock; the planted change is 0.5
TIME_S = 200e-6


def name_of(suite, case, metric="wall_time", rounds=5):
    return f"{suite}/{case}/{metric}/iterations:1/repeats:{rounds}/manual_time"


def work_name(size, rounds=5):
    return name_of("work", f"planted::work/libtorch/dtype=float32/n={size}", rounds=rounds)


def repetitions(results, name):
    """The entries of a benchmark, without aggregates."""
    return [b for b in results["benchmarks"] if b["name"] == name and b["run_type"] == "iteration"]


class Gbench(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.suite = cls.class_folder / "work.yaml"
        cls.suite.write_text(planted.suite_text("work", [work(SIZES)], MEASURE))
        cls.first = cls.class_folder / "first.json"
        cls.done = cls.expect(0, cls.gbench(cls.suite, f"--benchmark_out={cls.first}"))

    @classmethod
    def gbench(cls, suite, *words, **variables):
        words = [suite, "--device", "cpu", "--extension", planted.EXTENSION, *words]
        return cls.plumbline(*words, program=GBENCH, **variables)

    def compared(self, first, second):
        """{benchmark: its entry} from compare.py for two files."""
        output = self.folder / "compared.json"
        done = subprocess.run(
            ["/usr/bin/python3", COMPARE, "--no-color", "-d", output, "benchmarks", first, second],
            capture_output=True,
            encoding="utf-8",
            timeout=planted.LIMIT_S,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(output.read_text())
        entries = {entry["name"]: entry for entry in report if entry["run_type"] == "iteration"}
        for name in entries:
            self.assertIn(name, done.stdout)
        return entries

    def results_of(self, code, suite, *words, **variables):
        """Standard output as JSON; it must contain nothing else."""
        done = self.expect(code, self.gbench(suite, "--benchmark_format=json", *words, **variables))
        return json.loads(done.stdout), done

    def test_compare_py_finds_nothing_between_equal_runs(self):
        again = self.folder / "again.json"
        self.expect(0, self.gbench(self.suite, f"--benchmark_out={again}"))
        found = self.compared(self.first, again)
        self.assertEqual(set(found), {work_name(size) for size in SIZES})
        for entry in found.values():
            self.assertEqual(len(entry["measurements"]), 5)
            for pair in entry["measurements"]:
                self.assertLess(abs(pair["time"]), CLOSE)

    def test_compare_py_finds_the_slowed_case_alone(self):
        slow = self.folder / "slow.json"
        self.expect(0, self.gbench(self.suite, f"--benchmark_out={slow}", **planted.slowed(400)))
        found = self.compared(self.first, slow)
        chosen = found.pop(work_name(400))
        self.assertLess(chosen["utest"]["time_pvalue"], ALPHA)
        self.assertEqual(chosen["utest"]["nr_of_repetitions_other"], 5)
        for pair in chosen["measurements"]:
            self.assertLess(abs(pair["time"] - 0.5), CLOSE)
        for entry in found.values():
            for pair in entry["measurements"]:
                self.assertLess(abs(pair["time"]), CLOSE)

    def test_a_repetition_is_the_time_of_one_visit_and_the_aggregates_are_over_them(self):
        results = json.loads(self.first.read_text())
        for size in SIZES:
            found = repetitions(results, work_name(size))
            self.assertEqual([b["repetition_index"] for b in found], [0, 1, 2, 3, 4])
            for b in found:
                self.assertEqual((b["run_name"], b["iterations"]), (work_name(size), 1))
                self.assertEqual(b["time_unit"], "ns")
                self.assertLess(abs(b["real_time"] * 1e-9 / TIME_S - 1), CLOSE)
            aggregates = {
                b["aggregate_name"]: b["real_time"]
                for b in results["benchmarks"]
                if b["run_name"] == work_name(size) and b["run_type"] == "aggregate"
            }
            mean = sum(b["real_time"] for b in found) / 5
            self.assertAlmostEqual(aggregates["mean"] / mean, 1, places=9)
            self.assertEqual(set(aggregates), {"mean", "median", "stddev", "cv"})

    def test_the_context_says_which_device_and_libraries_were_measured(self):
        context = json.loads(self.first.read_text())["context"]
        for name in ("device_class", "device_uuid", "libtorch", "worker_hash"):
            self.assertTrue(context[f"plumbline_{name}"], name)

    def test_only_what_the_filter_selects_is_measured(self):
        bad = benchmark("segfault", name="bad")
        suite = self.plant("mixed.yaml", planted.suite_text("mixed", [bad, work(SIZES)]))
        results, done = self.results_of(0, suite, "--benchmark_filter=n=200/")
        name = name_of("mixed", "planted::work/libtorch/dtype=float32/n=200", rounds=2)
        self.assertEqual({b["run_name"] for b in results["benchmarks"]}, {name})
        self.expect(0, done, "1 case on", "0 of 2 visits")
        results, _ = self.results_of(0, suite, "--benchmark_filter=-segfault|bad")
        self.assertEqual(len({b["run_name"] for b in results["benchmarks"]}), 3)

    def test_listing_prints_names_and_measures_nothing(self):
        hang = benchmark("hang")
        suite = self.plant("mixed.yaml", planted.suite_text("mixed", [hang, work(SIZES)]))
        done = self.gbench(suite, "--benchmark_list_tests")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        cases = ["planted::hang/libtorch/dtype=float32/n=64"]
        cases += [f"planted::work/libtorch/dtype=float32/n={size}" for size in SIZES]
        names = [name_of("mixed", case, rounds=2) for case in cases]
        self.assertEqual(done.stdout.splitlines(), names)

    def test_cases_that_are_not_ok_are_errors_and_unverified_ones_are_marked(self):
        exclude = '[{where: {n: 64}, reason: "not \\"here\\""}]'
        benchmarks = [
            benchmark("segfault"),
            benchmark("wrong", [1000]),
            benchmark("no_float64"),
            benchmark("changes", [64, 65], exclude=exclude),
        ]
        suite = self.plant("odd.yaml", planted.suite_text("odd", benchmarks))
        results, _ = self.results_of(1, suite)

        def entries(op, size=64):
            case = f"planted::{op}/libtorch/dtype=float32/n={size}"
            return repetitions(results, name_of("odd", case, rounds=2))

        for found, text in (
            (entries("segfault"), "CRASHED: "),
            (entries("wrong", 1000), "WRONG: "),
            (entries("changes"), 'EXCLUDED: not "here"'),
        ):
            self.assertEqual(len(found), 2)
            for entry in found:
                self.assertTrue(entry["error_occurred"])
                self.assertTrue(entry["error_message"].startswith(text), entry)
                self.assertEqual(entry["real_time"], 0)
        for entry in entries("no_float64"):
            self.assertIn("UNVERIFIED: ", entry["label"])
            self.assertIn("planted: no float64 here", entry["label"])
            self.assertGreater(entry["real_time"], 0)

    def test_counters_are_the_case_s_work_over_its_time(self):
        suite = self.plant("healthy.yaml", planted.healthy(sizes=[4096]))
        results, _ = self.results_of(0, suite)
        for entry in results["benchmarks"][:2]:
            seconds = entry["real_time"] * 1e-9
            moved_bytes = entry["bytes_per_second"] * seconds
            self.assertAlmostEqual(moved_bytes / (2 * 4 * 4096), 1, places=6)
            self.assertAlmostEqual(entry["FLOP/s"] * seconds / 4096, 1, places=6)

    def test_plumbline_s_flags_choose_and_set_what_is_measured(self):
        words = ["--set", "n=[7, 8]", "--filter", "n=7", "--rounds", "2"]
        words.append("--benchmark_report_aggregates_only=true")
        results, _ = self.results_of(0, self.suite, *words)
        self.assertEqual({b["run_name"] for b in results["benchmarks"]}, {work_name(7, rounds=2)})
        self.assertEqual({b["run_type"] for b in results["benchmarks"]}, {"aggregate"})

    def test_mistakes_and_nothing_selected_exit_with_2_and_say_why(self):
        cases = [
            (self.suite, "--benchmark_filter=nothing_of_that_name", "selects no benchmark"),
            (self.suite, "--benchmark_filter=(", "selects no benchmark"),
            (self.suite, "--benchmark_format=xml", "has a value that it does not take"),
            (self.suite, "--benchmark_format=csv", "use json or console"),
            (self.suite, "--benchmark_repetitions=9", "use --rounds"),
            (self.suite, "--benchmark_nonsense", "is not known to Google Benchmark"),
            (self.suite, "--benchmark_out=/nowhere/x.json", "No such file or directory"),
            (self.suite, "--nonsense", "--nonsense"),
            (self.suite, "--filter=nothing", "no case is selected"),
            (self.folder / "absent.yaml", "--rounds=1", "absent.yaml"),
        ]
        for suite, word, text in cases:
            with self.subTest(word):
                self.expect(2, self.gbench(suite, word), text)

    def test_cases_that_all_fail_exit_with_1(self):
        crashes = self.plant("crashes.yaml", planted.suite_text("crashes", [benchmark("segfault")]))
        self.expect(1, self.gbench(crashes, "--rounds=1"), "1 CRASHED")

    def test_the_lock_keeps_a_second_program_off_the_device(self):
        slow = self.plant("slow.yaml", planted.suite_text("slow", [benchmark("hang")]))
        run = self.start(*self.run_words(slow, self.folder / "run"))
        lines = iter(run.stderr.readline, "")
        self.assertTrue(any("round 1" in line for line in lines))
        self.expect(2, self.gbench(self.suite), f"process {run.pid}")


if __name__ == "__main__":
    for path in (GBENCH, COMPARE):
        if not path.is_file():
            print(f"{path} is not there")
            sys.exit(planted.SKIPPED)
    planted.main()
