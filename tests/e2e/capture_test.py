"""A captured program end to end on the CPU: its suite is listed, measured and compared."""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PLUMBLINE = BUILD / "bin" / "plumbline"
PROGRAMS = ROOT / "tests" / "support" / "captured"
# The medians here and the estimates of the program are of the same samples. On a busy machine they differ, but not by a
# factor of two.
LEAST, MOST = 1 / 1.6, 1.6
MOST_UNTIMED = 2  # cases: on a machine that others use, a launch may look as if it had not worked


class Captured(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)

    def call(self, *words, codes=(0,)):
        environment = os.environ | {"PLUMBLINE_LOCKS": str(self.folder / "locks")}
        done = subprocess.run([str(w) for w in words], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=600)  # fmt: skip
        self.assertIn(done.returncode, codes, f"{words}\n{done.stdout}{done.stderr}")
        return done

    def measure(self, program, steps, code):
        suite, run = f"{program}.yaml", self.folder / program
        self.call(PLUMBLINE, "capture", "-o", suite, "--", sys.executable, PROGRAMS / f"{program}.py", steps, codes=(code,))
        cases = json.loads(self.call(PLUMBLINE, "list", suite, "--json").stdout)
        done = self.call(PLUMBLINE, "run", suite, "-o", run, "--device", "cpu", "--rounds", "2", codes=(0, 1))
        return cases, run, done.stdout + done.stderr

    def medians(self, run):
        """Case -> median of its samples, in seconds."""
        times, failed = {}, {}
        with open(run / "results.csv", newline="") as file:
            for row in csv.DictReader(file):
                if not row["samples"]:
                    failed[row["case"]] = row["reason"]
                    continue
                samples = sorted(float(s) for s in re.split("[;|]", row["samples"]))
                times.setdefault(row["case"], []).append(samples[len(samples) // 2])
        self.assertLessEqual(len(failed), MOST_UNTIMED, failed)
        return {case: sum(values) / len(values) for case, values in times.items() if case not in failed}

    def assert_near(self, shown, expected, line):
        self.assertTrue(LEAST < shown / expected < MOST, f"{shown}, not {expected}: {line}")

    def check(self, program, steps, code):
        cases, run, said = self.measure(program, steps, code)
        times = self.medians(run)
        self.assertLessEqual(set(times), {case["id"] for case in cases})
        [suite] = json.loads((run / "run.json").read_text())["suites"]
        for step in suite["steps"]:
            measured = sum(suite["calls"][case].get(phase, 0) * time for case, time in times.items() for phase in step["phases"])
            line = next(line for line in said.splitlines() if line.startswith(f"{step['name']} step: "))
            shown = re.search(r"(\d+) cases take ([\d.]+)\s(µs|ms)(?:: (\d+) % of the)?", line)
            self.assertEqual(int(shown[1]), sum(any(p in suite["calls"][case] for p in step["phases"]) for case in times))
            self.assert_near(float(shown[2]) * {"µs": 1e-6, "ms": 1e-3}[shown[3]], measured, line)
            self.assertEqual(shown[4] is None, step["time_s"] == "nan", "a step that came once is not timed")
            if shown[4] is None:
                continue
            self.assert_near(int(shown[4]) / 100, measured / step["time_s"], line)
        return run

    def test_a_training_step(self):
        run = self.check("train", "20", 0)
        # The run against itself: a step does not change, and its phases are shown.
        text = self.call(PLUMBLINE, "compare", run, run, codes=(0, 3)).stdout
        self.assertRegex(text, r"(?m)^training step 0\.?0* % ± [\d.]+ %; \d+ cases take")
        self.assertRegex(text, r"(?m)^  backward 0\.?0* %")
        page = self.folder / "page.html"
        self.call(PLUMBLINE, "report", run, "-o", page)
        self.assertIn("Steps of the program", page.read_text())

    def test_a_decode_loop(self):
        self.check("decode", "30", 3)


if __name__ == "__main__":
    unittest.main()
