#!/usr/bin/python3
"""Two builds in pairs and the gate, with real workers: only the planted slowdown is confirmed.

Both builds are the same worker; one tree starts it with the variables that slow a case by half.
"""

import json

import planted

SIZES = (100, 200, 300)
CHOSEN = "planted::work/libtorch/dtype=float32/n=200"
OTHERS = {f"planted::work/libtorch/dtype=float32/n={size}" for size in SIZES} - {CHOSEN}
# The slowed case's loss. Its 200 us of work take half as long again; the call around it, up to 8 us, does not.
LEAST, MOST = 0.40, 0.5
# Wide enough for few pairs on a machine that others use, and far below that loss.
UNCHANGED = ("--threshold", "20%", "--margin", "30%")
QUIET = {"SAME", "UNRESOLVED"}


class Pairs(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.suite = cls.class_folder / "work.yaml"
        cls.suite.write_text(
            planted.suite_text("work", [planted.work(SIZES)], planted.MEASURE_WORK)
        )
        cls.base = cls.tree("base", {})
        cls.slow = cls.tree("slow", planted.slowed(200))

    @classmethod
    def tree(cls, name, variables):
        """A folder whose build is the tested one, with its own variables."""
        worker = cls.class_folder / name / "build" / "bin" / "plumbline-worker"
        worker.parent.mkdir(parents=True)
        unset = "-u PLANTED_SLOWDOWN -u PLANTED_ELEMENTS"
        said = " ".join(f"{key}={value}" for key, value in variables.items())
        worker.write_text(
            f'#!/bin/sh\nexec env {unset} {said} "{planted.BIN / "plumbline-worker"}" "$@"\n'
        )
        worker.chmod(0o755)
        return cls.class_folder / name

    def in_pairs(self, a, b, code, *more):
        folder = self.folder / "pairs"
        words = ["--device", self.device, "--extension", planted.EXTENSION, "--looks", "4", *more]
        done = self.expect(code, self.plumbline("ab", a, b, self.suite, "-o", folder, *words))
        return done, json.loads((folder / "comparison.json").read_text())["findings"]

    def test_two_equal_builds_raise_no_alarm(self):
        done, findings = self.in_pairs(self.base, self.base, 0, *UNCHANGED)
        self.assertEqual({finding["case"] for finding in findings}, OTHERS | {CHOSEN})
        self.assertLessEqual({finding["verdict"] for finding in findings}, QUIET)
        self.assertEqual({finding["pairs"] for finding in findings}, {4})
        for side in ("a", "b"):
            rows = planted.read_rows(self.folder / "pairs" / side)
            self.assertEqual(len(rows), 3 * 4 * 2)
            self.assertEqual(len({row["worker"] for row in rows}), 4, "a fresh worker in each pair")
        self.assertIn("no case is slower", done.stdout)

    def test_a_build_that_slows_one_case_is_told_with_the_size_of_it(self):
        _, findings = self.in_pairs(self.base, self.slow, 1)
        found = {finding["case"]: finding for finding in findings}
        self.assertEqual(found[CHOSEN]["verdict"], "SLOWER")
        self.assertLess(found[CHOSEN]["change_low"], MOST)
        self.assertGreater(found[CHOSEN]["change_high"], LEAST)
        self.assertLessEqual({found[case]["verdict"] for case in OTHERS}, QUIET)

    def test_the_gate_confirms_what_the_commit_did_and_not_what_the_environment_does(self):
        accepted = self.folder / "accepted"
        run = self.measured(self.suite, "first")
        words = ["accept", run, "--baselines", accepted, "--author", "a test", "--even-so", "a test"]
        self.expect(0, self.plumbline(*words))
        words = [self.suite, "--device", self.device, "--extension", planted.EXTENSION]
        words += ["--baselines", accepted, "--looks", "4"]
        confirmed = self.folder / "confirmed"
        done = self.plumbline(
            "check", *words, "-o", confirmed, "--baseline-tree", self.base, **planted.slowed(200)
        )
        self.expect(1, done)
        self.assertEqual(planted.verdicts(confirmed / "comparison.json")[CHOSEN], "SLOWER")
        self.assertIn("confirmed: 1.", done.stdout)
        self.assertIn(CHOSEN, (confirmed / "report.html").read_text(encoding="utf-8"))
        moved = self.folder / "moved"
        done = self.plumbline(
            "check", *words, *UNCHANGED, "-o", moved, "--baseline-tree", self.slow, **planted.slowed(200)
        )
        self.expect(0, done)
        self.assertIn(planted.verdicts(moved / "comparison.json")[CHOSEN], QUIET)
        self.assertIn("The environment moved", done.stdout)


if __name__ == "__main__":
    planted.main()
