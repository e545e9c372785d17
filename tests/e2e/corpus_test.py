#!/usr/bin/python3
"""A corpus of nights with a planted truth, and the scores of rules that are known: one that always alarms, one that
never does, one that sees exactly changes above a size, one that waits for a second night, and Plumbline's own."""

import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PLUMBLINE = BUILD / "bin" / "plumbline"
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "support")]

import planted_run  # noqa: E402
from corpus_rules import nights as corpus_nights  # noqa: E402

CASES, NIGHTS, ACCEPTED, TRIALS = 20, 6, 3, 20
SIZES = [1.01, 1.02, 1.03, 1.05, 1.10]
CASE_NIGHTS = CASES * (NIGHTS - ACCEPTED)
RULES = '''
from corpus_rules.rule import rule, slower_series


@rule("always", "calls everything slower")
def always(baseline, past, tonight, series):
    return series


@rule("never", "calls nothing slower")
def never(baseline, past, tonight, series):
    return []


def rose(baseline, night, one):
    return night.estimate(one) > 1.04 * baseline[0].estimate(one)


@rule("above 4 %", "slower if the estimate is 4 % above the first night's")
@slower_series
def above(baseline, past, tonight, one):
    return rose(baseline, tonight, one)


@rule("two nights", "the same, for the second night in turn")
@slower_series
def two_nights(baseline, past, tonight, one):
    return rose(baseline, tonight, one) and rose(baseline, past[-1], one)
'''


class Corpus(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="plumbline-corpus-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        runs = []
        for day in range(1, NIGHTS + 1):
            runs.append(cls.folder / f"run-{day}")
            planted_run.write_run(runs[-1], planted_run.cases(CASES), seed=day, day=day, process_sd=0.002, block_sd=0.002)
        cls.corpus = cls.folder / "corpus"
        done = cls.call(PLUMBLINE, "corpus", *reversed(runs), "-o", cls.corpus, "--plant", TRIALS, "--seed", 5)
        assert done.returncode == 0, done.stderr
        assert done.stdout == f"{cls.corpus}\n", done.stdout

    @staticmethod
    def call(*words):
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=600)

    def planted(self):
        with open(self.corpus / "planted.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def scores(self, *flags):
        """Numbers by (rule, score, factor) as (count, of), and what the script printed."""
        own, output = self.folder / "own_rules.py", self.folder / "scores"
        own.write_text(RULES, encoding="utf-8")
        done = self.call(sys.executable, ROOT / "scripts" / "score_corpus", self.corpus, "--plumbline", PLUMBLINE,
                         "--rules", own, "-o", output, *flags)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, (output / "scores.md").read_text(encoding="utf-8"))
        with open(output / "scores.csv", newline="", encoding="utf-8") as file:
            rows = {(row["rule"], row["score"], row["factor"]): row for row in csv.DictReader(file)}
        return rows, done.stdout

    def counts(self, rows, rule, score):
        return [(int(rows[rule, score, str(size)]["count"]), int(rows[rule, score, str(size)]["of"])) for size in SIZES]

    def test_rules_that_are_known_get_the_numbers_that_follow(self):
        rows, printed = self.scores("--rule", "always", "--rule", "never", "--rule", "above 4 %", "--rule", "two nights")
        each = TRIALS // len(SIZES)
        alarms = {rule: rows[rule, "false_alarms_per_1000", ""] for rule in ("always", "never", "above 4 %")}
        self.assertEqual([row["of"] for row in alarms.values()], [str(CASE_NIGHTS)] * 3)
        self.assertEqual([float(row["value"]) for row in alarms.values()], [1000, 0, 0])
        self.assertEqual(self.counts(rows, "always", "found_first_night"), [(each, each)] * 5)
        self.assertEqual(self.counts(rows, "never", "found"), [(0, each)] * 5)
        self.assertEqual(self.counts(rows, "above 4 %", "found_first_night"), [(0, each)] * 3 + [(each, each)] * 2)
        self.assertEqual(self.counts(rows, "above 4 %", "delay_nights")[3:], [(0, each)] * 2)
        # Those that are not planted in the last night are found one night later.
        planted = self.planted()
        late = [sum(float(row["factor"]) == size and int(row["night"]) < NIGHTS for row in planted) for size in SIZES]
        self.assertGreater(late[3] + late[4], 0)
        self.assertEqual(self.counts(rows, "two nights", "found_first_night"), [(0, each)] * 5)
        self.assertEqual(self.counts(rows, "two nights", "found")[3:], [(late[3], each), (late[4], each)])
        self.assertEqual(self.counts(rows, "two nights", "delay_nights")[3:], [(late[3], late[3]), (late[4], late[4])])
        self.assertIn(f"| always | 1000.0 [939.8, 1000.0] ({CASE_NIGHTS} of {CASE_NIGHTS}) |", printed)

    def test_rules_of_programs_see_large_slowdowns_in_quiet_nights(self):
        rows, _ = self.scores("--rule", "nvbench-compare-legacy", "--rule", "benchstat", "--rule", "t on history",
                              "--rule", "plumbline", "--rule", "plumbline, screen")  # fmt: skip
        each = TRIALS // len(SIZES)
        for rule in ("nvbench-compare-legacy", "benchstat", "t on history", "plumbline, screen"):
            with self.subTest(rule):
                self.assertEqual(self.counts(rows, rule, "found")[4], (each, each))
        self.assertEqual(rows["plumbline", "false_alarms_per_1000", ""]["count"], "0")
        self.assertEqual(self.counts(rows, "plumbline", "found")[4], (each, each))

    def test_what_is_planted_lies_in_run_directories_too(self):
        nights, planted = corpus_nights.read_corpus(self.corpus, PLUMBLINE, self.folder / "read")
        self.assertEqual([night.number for night in nights], list(range(1, NIGHTS + 1)))
        self.assertEqual(len(planted), TRIALS)
        case = planted_run.cases(CASES)[2]
        slowed = nights[4].slowed(case, 1.05)
        corpus_nights.write_run(slowed, self.folder / "slowed")
        read = corpus_nights.read_night(self.folder / "slowed", 5)
        self.assertEqual(read.visits, slowed.visits)
        changed = {one for one in read.visits if read.visits[one] != nights[4].visits[one]}
        self.assertEqual(changed, {(case, metric) for metric in planted_run.METRICS})
        self.assertAlmostEqual(read.estimate((case, "gpu_time_cold")) / nights[4].estimate((case, "gpu_time_cold")), 1.05)
        done = self.call(PLUMBLINE, "export", "csv", self.folder / "slowed")
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_mistakes_are_told_in_a_line(self):
        script = [sys.executable, ROOT / "scripts" / "score_corpus", "--plumbline", PLUMBLINE]
        for words, expected in (
            ([self.folder], "is no corpus"),
            ([self.corpus, "--rule", "nobody"], "rule nobody is not known; there are: "),
            ([self.corpus, "--metric", "energy"], "metric energy is not in the corpus; it has gpu_time_cold, kernel_time_cold"),
            ([self.corpus, "--accepted", "6"], "no device class has more than 6 nights"),
        ):
            with self.subTest(expected):
                done = self.call(*script, *words)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(expected, done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
