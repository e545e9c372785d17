#!/usr/bin/python3
"""Decisions that people record beforehand, from suite and ledger to verdict: expected failures, acknowledged changes,
quarantine, renames."""

import json

import planted

SIZES = (100, 200, 300, 400)
CHOSEN = "planted::work/libtorch/dtype=float32/n=400"
WRONG = "planted::wrong/libtorch/dtype=float32/n=1000"
CRASHED = "planted::throws/libtorch/dtype=float32/n=64"
SLOWED = planted.slowed(400)
EXPECT = '[{where: {n: %d, device.kind: cpu}, status: %s, reason: "planted"}]'


def suite_of(*entries):
    return planted.suite_text("work", entries, planted.MEASURE_WORK)


class ExpectedFailures(planted.Planted):
    def test_a_failure_that_a_suite_expects_sets_no_exit_code_and_another_does(self):
        faulty = planted.benchmark("wrong", [1000], expect=EXPECT % (1000, "WRONG"))
        suite = self.plant("work.yaml", suite_of(planted.work(SIZES[:2]), faulty))
        run = self.folder / "run"
        done = self.plumbline(*self.run_words(suite, run))
        self.expect(0, done, f"WRONG as expected {WRONG}: planted", "2 OK; 1 WRONG as expected")
        expected = json.loads((run / "run.json").read_text())["expected"]
        at = expected[0].pop("at")
        self.assertEqual(
            expected,
            [{"suite": "work", "case": WRONG, "status": "WRONG", "reason": "planted"}],
        )
        self.assertTrue(at.endswith("work.yaml:5"), at)
        # The runs alone must tell: the suite is gone.
        suite.unlink()
        again = self.folder / "again"
        run.rename(again)
        done, found = self.compared(again, again, 0)
        self.assertEqual(found[WRONG], "EXPECTED")
        self.assertIn("1 EXPECTED", done.stdout)
        page = self.folder / "report.html"
        self.expect(0, self.plumbline("report", self.folder / "comparison-again.json", "-o", page))
        self.assertIn("Failing as expected", page.read_text(encoding="utf-8"))

        other = planted.benchmark("throws", [64], expect=EXPECT % (64, "WRONG"))
        suite = self.plant("other.yaml", suite_of(planted.work(SIZES[:2]), other))
        crashed = self.measured(suite, "crashed", code=1)
        self.assertEqual(
            {row["status"] for row in planted.read_rows(crashed) if row["case"] == CRASHED},
            {"CRASHED"},
        )

    def test_a_case_that_is_ok_after_all_is_timed_and_its_expectation_can_go(self):
        suite = self.plant(
            "work.yaml", suite_of(planted.work(SIZES[:2], expect=EXPECT % (100, "WRONG")))
        )
        run = self.folder / "run"
        done = self.plumbline(*self.run_words(suite, run))
        case = "planted::work/libtorch/dtype=float32/n=100"
        self.expect(0, done, f"{case} is OK; the expectation in", "work.yaml:4 (WRONG: planted) can go")
        rows = [row for row in planted.read_rows(run) if row["case"] == case]
        self.assertTrue(all(row["status"] == "OK" and row["samples"] for row in rows))


class Ledger(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.measure_both(suite_of(planted.work(SIZES)), SLOWED)

    def setUp(self):
        super().setUp()
        self.baselines = self.folder / "baselines"
        self.expect(0, self.accept(self.base))

    def accept(self, run):
        return self.plumbline("accept", run, "--baselines", self.baselines, "--even-so", "a test")

    def decide(self, verb, *words):
        words = [verb, CHOSEN, "--author", "Ada", *words, "--baselines", self.baselines]
        return self.expect(0, self.plumbline(*words))

    def test_an_acknowledged_slowdown_is_shown_with_author_and_reason_and_is_no_alarm(self):
        self.compared(self.baselines, self.slow, 1)
        self.decide("acknowledge", "--why", "bounds are checked", "--change", "+5%")
        done, _ = self.compared(self.baselines, self.slow, 1)
        self.assertIn("more than was acknowledged up to +5.0 % by Ada: bounds are checked", done.stdout)
        self.decide("acknowledge", "--why", "bounds are checked", "--change", "+90%")
        done, found = self.compared(self.baselines, self.slow, 0)
        self.assertEqual(found[CHOSEN], "SLOWER")
        self.assertIn("acknowledged up to +90 % by Ada: bounds are checked", done.stdout)
        self.assertIn("1 acknowledged", done.stdout)
        # A newer baseline contains the change, so that the next one alarms again.
        done = self.expect(0, self.accept(self.slow))
        self.assertIn("taken out of the ledger", done.stderr)
        entries = json.loads((self.baselines / "ledger.json").read_text())["entries"]
        self.assertEqual(entries, [])

    def test_a_quarantined_case_is_measured_and_shown_apart_and_stops_nothing(self):
        self.decide("quarantine", "--why", "two modes")
        broken = self.measured(
            self.suite, "broken", code=1, PLANTED_FAULT="wrong", PLANTED_ELEMENTS="400"
        )
        done, found = self.compared(self.baselines, broken, 0)
        self.assertEqual(found[CHOSEN], "BROKEN")
        self.assertIn("BROKEN, quarantined", done.stdout)
        self.assertIn("1 quarantined", done.stdout)
        self.decide("quarantine", "--remove")
        self.compared(self.baselines, broken, 1)

    def test_a_renamed_case_is_explained_by_what_the_baseline_recorded_of_the_old_one(self):
        case = "/libtorch/dtype=float32/n="
        renames = "".join(f"  planted::work{case}{n}: labour{case}{n}\n" for n in SIZES)
        text = suite_of(planted.work(SIZES, name="labour")) + "renames:\n" + renames
        renamed = self.measured(self.plant("work.yaml", text), "renamed", **SLOWED)
        done, found = self.compared(self.baselines, renamed, 1)
        self.assertEqual(found[f"labour{case}400"], "SLOWER")
        self.assertIn(f"renamed from {CHOSEN}", done.stdout)
        comparison = json.loads((self.folder / "comparison-renamed.json").read_text())
        [finding] = [f for f in comparison["findings"] if f["case"] == f"labour{case}400"]
        self.assertEqual(finding["renamed_from"], CHOSEN)
        [fact] = [f for f in comparison["causes"][0]["facts"] if f["name"] == "revision"]
        self.assertEqual((fact["same"], fact["unknown"]), (1, 0), comparison["causes"])


if __name__ == "__main__":
    planted.main()
