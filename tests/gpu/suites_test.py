#!/usr/bin/python3
"""The suites for the evidence contain the intended cases. Lists them, so needs a worker, but no
GPU."""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))

import planted  # noqa: E402

SUITES = HERE / "suites"
SPIN_OPS = planted.BUILD / "lib" / "libspin_ops.so"


class Suites(planted.Planted):
    def listed(self, suite, *more):
        done = self.plumbline("list", suite, "--device", "cpu", *more)
        self.expect(0, done)
        return {line.split(" ")[0] for line in done.stdout.splitlines() if line}

    def test_the_real_cases_of_the_peers_are_those_with_their_tag(self):
        with open(HERE / "cases.csv", newline="", encoding="utf-8") as file:
            cases = {row["case"] for row in csv.DictReader(file)}
        spins = self.listed(SUITES / "spin.yaml", "--extension", SPIN_OPS)
        self.assertEqual(self.listed(SUITES / "aa.yaml", "--tag", "peer") | spins, cases)

    def test_a_hundred_and_twenty_cases_that_are_measured_again_are_of_the_nightly_suites(self):
        extra = self.listed(SUITES / "aa.yaml", "--tag", "extra")
        real = self.listed(SUITES / "aa.yaml") - extra
        self.assertGreaterEqual(len(real), 120)
        self.assertEqual(real - self.listed(planted.ROOT / "suites" / "nightly"), set())

    def test_there_are_five_hundred_cases_and_copies_up_to_4_gb(self):
        self.assertGreaterEqual(len(self.listed(SUITES / "five_hundred.yaml")), 500)
        self.assertEqual(len(self.listed(SUITES / "copies.yaml")), 13)

    def test_there_are_a_hundred_and_fifty_operators_of_the_dispatcher_in_three_types(self):
        cases = self.listed(SUITES / "dispatcher.yaml")
        for dtype in ("float32", "float16", "bfloat16"):
            of_type = {case.split("/")[0] for case in cases if f"dtype={dtype}" in case}
            self.assertGreaterEqual(len(of_type), 150, dtype)

    def test_slowdowns_are_planted_in_thirty_kernels_and_one_percent_in_twenty(self):
        for suite, cases in (("planted.yaml", 30), ("one_percent.yaml", 20)):
            self.assertEqual(len(self.listed(SUITES / suite, "--extension", SPIN_OPS)), cases)


if __name__ == "__main__":
    planted.main()
