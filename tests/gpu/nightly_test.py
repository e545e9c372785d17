#!/usr/bin/python3
"""ci/nightly.sh on a CUDA GPU: an accepted night, a quiet one, and one with slowdowns planted in kernels.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), ci/, suites/ and tests/; ends with 77 and the reason if there is
no GPU. If $NIGHT_FOLDER is set, runs, baselines and the site stay there.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "e2e")]

import planted  # noqa: E402
from pairs_test import Trees  # noqa: E402

SPIN_OPS = planted.BUILD / "lib" / "libspin_ops.so"
NIGHTLY = planted.ROOT / "suites" / "nightly" / "pooling.yaml"
# Kernels of 0.1 ms by the clock and copies of 268 MB, slower by this many thousandths.
PLANTED = """suite: planted
measure: {metrics: [gpu_time, kernel_time], cache: [cold]}
benchmarks:
  - op: plumbline_spin::slowed_spin
    sweep: {cycles: [198000], permille: [0, 30], dtype: [float32]}
    args: {cycles: "cycles", permille: "permille", token: "uniform[32]"}
  - op: plumbline_spin::slowed_copy
    sweep: {elements: [67108864], permille: [0, 50, 100], dtype: [float32]}
    args: {x: "uniform[elements]", permille: "permille"}
"""
PAIRS = ["--looks", "8", "--controls", "0"]  # enough for slowdowns of this size, in two minutes
LIMIT_S = 600


class Nightly(Trees):
    def night(self, name, code, **variables):
        """Runs the night with that name; returns the page that it added to the site, and its last line."""
        before = self.pages()
        done = subprocess.run(
            [planted.ROOT / "ci" / "nightly.sh", "--extension", SPIN_OPS, *PAIRS],
            env=self.environment(NIGHTLY_NAME=name, **self.settings, **variables),
            stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=LIMIT_S,
        )
        print(done.stderr, done.stdout)
        self.expect(code, done)
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        [page] = self.pages() - before
        return page, done.stdout

    def pages(self):
        return {path.name for path in (self.kept / "site" / "commits").glob("*.html")}

    def test_the_night_with_slowdowns_ends_with_1_and_the_one_before_with_0(self):
        self.kept = pathlib.Path(os.environ.get("NIGHT_FOLDER") or self.folder).absolute()
        suite = self.plant("planted.yaml", PLANTED)
        base = self.tree("base", "-u PLANTED_SLOWDOWNS")
        self.settings = {
            "NIGHTLY_BUILD": "0", "NIGHTLY_DEVICES": "cuda:0", "NIGHTLY_SUITES": f"{NIGHTLY} {suite}",
            "NIGHTLY_BASELINE_TREE": str(base), "NIGHTLY_SITE": str(self.kept / "site"),
            "NIGHTLY_RUNS": str(self.kept / "runs"), "NIGHTLY_BASELINES": str(self.kept / "baselines"),
            "PLUMBLINE_WORKER": str(planted.BIN / "plumbline-worker"),
        }
        _, line = self.night("first", 3)
        self.assertIn("no accepted baseline", line)
        run = self.kept / "runs" / "first-cuda-0"
        words = ["--baselines", self.kept / "baselines", "--author", "me", "--why", "first"]
        self.expect(0, self.plumbline("accept", run, *words))
        _, line = self.night("quiet", 0)
        self.assertRegex(line, r"no case is slower")
        _, line = self.night("slow", 1, PLANTED_SLOWDOWNS="1")
        self.assertIn("Slower: ", line)
        found = planted.verdicts(self.kept / "runs" / "slow-cuda-0" / "comparison.json")
        slower = {case for case, verdict in found.items() if verdict == "SLOWER"}
        self.assertEqual({re.search(r"permille=(\d+)", case)[1] for case in slower}, {"30", "50", "100"})


if __name__ == "__main__":
    planted.main_on_gpu()
