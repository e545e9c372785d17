#!/usr/bin/python3
"""Two builds in pairs on a CUDA GPU: exactly the planted slowdowns are confirmed.

Both builds are the same worker. One tree starts it with PLANTED_SLOWDOWNS, which slows the
operators of tests/support/spin_ops by as much as their case says. Needs bin/ and lib/ of a build
(see ../e2e/planted.py); ends with 77 and the reason if there is no GPU.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import planted  # noqa: E402
from cases import SPIN_CYCLES_PER_US  # noqa: E402

SPIN_OPS = planted.BUILD / "lib" / "libspin_ops.so"
LIMIT_S = 900
QUIET = {"SAME", "UNRESOLVED"}
FOUND_LEAST, TRIALS = 18, 20  # of one percent, in at most 24 pairs
NEAR = 0.005  # largest difference between a confirmed and a planted size


def permille(finding):
    return int(re.search(r"permille=(\d+)", finding["case"])[1])


def planted_change(finding):
    """Planted effect: of a copy, a share of its bytes; of a spin, a share of its cycles, to which
    the launch adds time."""
    share = permille(finding) / 1000
    cycles = re.search(r"cycles=(\d+)", finding["case"])
    if not cycles:
        return share
    return share * int(cycles[1]) / SPIN_CYCLES_PER_US * 1e-6 / finding["baseline"]


class Trees(planted.Planted):
    device = "cuda"

    @classmethod
    def tree(cls, name, setting):
        """A folder whose build is the tested one, with its own variable."""
        worker = cls.class_folder / name / "build" / "bin" / "plumbline-worker"
        worker.parent.mkdir(parents=True)
        worker.write_text(
            f'#!/bin/sh\nexec env {setting} "{planted.BIN / "plumbline-worker"}" "$@"\n'
        )
        worker.chmod(0o755)
        return cls.class_folder / name


class Pairs(Trees):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        planted.LIMIT_S = LIMIT_S
        cls.base = cls.tree("base", "-u PLANTED_SLOWDOWNS")
        cls.slow = cls.tree("slow", "PLANTED_SLOWDOWNS=1")

    def findings(self, a, b, suite, code, *more):
        folder = self.folder / "pairs"
        words = ["--device", "cuda", "--no-build", "--extension", SPIN_OPS, "-o", folder, *more]
        done = self.plumbline("ab", a, b, HERE / "suites" / suite, *words)
        self.expect(code, done)
        print(done.stdout)
        return json.loads((folder / "comparison.json").read_text())["findings"]

    def test_planted_slowdowns_are_confirmed_with_their_size_and_nothing_else_is(self):
        findings = self.findings(self.base, self.slow, "planted.yaml", 1)
        self.assertEqual({permille(f) for f in findings}, {0, 20, 30, 50, 100})
        for finding in findings:
            what = f"{finding['case']}, {finding['metric']}: {finding['verdict']}"
            if permille(finding) == 0:
                self.assertIn(finding["verdict"], QUIET, what)
                continue
            self.assertEqual(finding["verdict"], "SLOWER", what)
            self.assertLess(abs(finding["change"] - planted_change(finding)), NEAR, what)

    def test_one_percent_of_a_memory_bound_kernel_is_found(self):
        findings = self.findings(
            self.base, self.slow, "one_percent.yaml", 1, "--looks", "12,24", "--controls", "0"
        )
        self.assertEqual(len(findings), TRIALS)
        found = [f for f in findings if f["verdict"] == "SLOWER" and f["pairs"] <= 24]
        print(f"one percent: {len(found)} of {TRIALS} found")
        self.assertGreaterEqual(len(found), FOUND_LEAST)

    def test_identical_builds_raise_no_alarm(self):
        for finding in self.findings(self.base, self.base, "planted.yaml", 0, "--looks", "12"):
            self.assertIn(finding["verdict"], QUIET, finding["case"])


if __name__ == "__main__":
    planted.main_on_gpu()
