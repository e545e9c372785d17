#!/usr/bin/env python3
"""Captured programs on a CUDA GPU: the share of the GPU's time that their suites cover, and a slowdown planted in one
operator.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), and a Python with torch, which runs this; ends with 77 and the
reason if there is no GPU.
"""

import json
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

PROGRAMS = planted.ROOT / "tests" / "support" / "captured"
SPIN = planted.BUILD / "lib" / "libspin_ops.so"
PLANTED_CYCLES = 4 * 20000  # calls in a step of decode.py × the cycles that each takes longer
LEAST_COVERED = 0.9  # of the time in which the program's GPU works in a step
MEASURE = ("--rounds", "2", "--metrics", "gpu_time", "--cache", "cold")


class Capture(planted.Planted):
    device = "cuda"

    def capture(self, name, *words, code=0, **variables):
        suite = self.folder / f"{name}.yaml"
        done = self.plumbline("capture", "-o", suite, "--", sys.executable, *words, **variables)
        self.expect(code, done)
        return suite

    def measure(self, suite, name, *words, **variables):
        run = self.folder / name
        done = self.plumbline("run", suite, "-o", run, "--device", "cuda", *MEASURE, *words, **variables)
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        print(*[line for line in done.stdout.splitlines() if " step" in line or "WRONG" in line], sep="\n", flush=True)
        return run

    def steps(self, baseline, candidate):
        """{(step, phase): object of comparison.json}."""
        done = self.plumbline("compare", baseline, candidate, "-o", self.folder / "c.json")
        print(*[line for line in done.stdout.splitlines() if " step" in line or line.startswith("  ")], sep="\n", flush=True)
        found = json.loads((self.folder / "c.json").read_text())["steps"]
        return {(step["step"], step["phase"]): step for step in found}

    def test_a_training_step_is_covered_and_unchanged(self):
        suite = self.capture("train", PROGRAMS / "train.py", "24", "cuda")
        runs = [self.measure(suite, name) for name in ("one", "two")]
        step = self.steps(*runs)["training", ""]
        self.assertGreaterEqual(step["baseline"] / step["measured"], LEAST_COVERED)
        self.assertLessEqual(abs(step["candidate"] - step["baseline"]), max(step["half_width"], 0.01 * step["baseline"]))

    def test_a_planted_slowdown_of_one_operator_is_weighed_as_the_program_has_it(self):
        decode = (PROGRAMS / "decode.py", "40", "cuda", SPIN)
        suite = self.capture("decode", *decode, code=3)
        slower = self.capture("slower", *decode, code=3, PLANTED_SLOWDOWNS="1")
        words = ("--extension", SPIN)
        runs = [self.measure(suite, "fast", *words), self.measure(suite, "slow", *words, PLANTED_SLOWDOWNS="1")]
        step = self.steps(*runs)["decode", ""]
        self.assertGreaterEqual(step["baseline"] / step["measured"], LEAST_COVERED)
        self.assertIn("slowed_spin", step["parts"][0]["case"])
        [spin, *_] = step["parts"]
        self.assertGreaterEqual((spin["candidate"] - spin["baseline"]) / (step["candidate"] - step["baseline"]), LEAST_COVERED)
        # Compares with the planted truth, and with the program's own loss: the median of three traced steps.
        gained, planted_s = step["candidate"] - step["baseline"], PLANTED_CYCLES / self.clock_hz(runs[1])
        lost = self.busy(slower) - self.busy(suite)
        print(f"suite: {gained:.3g} s, planted: {planted_s:.3g} s, program: {lost:.3g} s")
        self.assertAlmostEqual(gained / planted_s, 1, delta=0.05)
        self.assertAlmostEqual(lost / planted_s, 1, delta=0.3)

    def clock_hz(self, run):
        """The SM clock of a case's first block."""
        [row, *_] = [row for row in planted.read_rows(run) if "slowed_spin" in row["case"] and row["block_clocks"]]
        return float(re.split("[;|]", row["block_clocks"])[0])

    def busy(self, suite):
        """Seconds in which the program's GPU worked in a decode step, from its suite."""
        return float(re.search(r"^  decode: .*busy: ([\d.e-]+)", suite.read_text(), re.MULTILINE)[1])


if __name__ == "__main__":
    planted.main_on_gpu()
