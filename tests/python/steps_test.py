#!/usr/bin/python3
"""What a step gained or lost: the sentence of `compare` and its numbers against a planted truth.

Argument: plumbline.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))

import planted_run

PLUMBLINE = sys.argv.pop(1) if len(sys.argv) > 1 else "plumbline"
CASES = planted_run.cases(12)
# A decode step calls each case, the first ones most often; the gemm of a training step is called in two phases.
CALLS = {case: {"decode": 12.0 - i} for i, case in enumerate(CASES)}
CALLS[CASES[3]] |= {"forward": 4.0, "backward": 8.0}
CALLS[CASES[5]] |= {"forward": 1.0}
STEPS = [
    {"name": "training", "phases": ["forward", "backward"], "time_s": 1e-3, "busy_s": 8e-4},
    {"name": "decode", "phases": ["decode"], "time_s": 4e-3, "busy_s": "nan"},
]


def truth_s(case):
    return 1e-5 * (1 + CASES.index(case))


def step_s(phases, slower=None):
    return sum(calls.get(phase, 0) * truth_s(case) * (slower or {}).get(case, 1)
               for case, calls in CALLS.items() for phase in phases)  # fmt: skip


class Steps(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def run_of(self, name, seed, **truth):
        folder = self.folder / name
        planted_run.write_run(folder, CASES, seed=seed, **truth)
        info = json.loads((folder / "run.json").read_text())
        info["suites"] = [{"name": "planted", "path": "", "hash": "", "cases": CASES, "steps": STEPS, "calls": CALLS}]
        (folder / "run.json").write_text(json.dumps(info))
        return folder

    def compare(self, slower):
        base, cand = self.run_of("base", 1), self.run_of("cand", 2, slower=slower)
        words = [PLUMBLINE, "compare", base, cand]
        text = subprocess.run(words, capture_output=True, text=True, timeout=60).stdout
        found = json.loads(subprocess.run([*words, "--json"], capture_output=True, text=True, timeout=60).stdout)
        return text, {(step["step"], step["phase"]): step for step in found["steps"]}

    def test_a_slower_case_is_weighed_by_its_calls(self):
        slower = {CASES[3]: 1.1}
        text, steps = self.compare(slower)
        for key, phases in {("decode", ""): ["decode"], ("training", ""): ["forward", "backward"],
                            ("training", "backward"): ["backward"]}.items():  # fmt: skip
            step = steps[key]
            before, after = step_s(phases), step_s(phases, slower)
            self.assertAlmostEqual(step["baseline"] / before, 1, delta=0.01, msg=key)
            planted, seen = after - before, step["candidate"] - step["baseline"]
            self.assertLess(abs(seen - planted), step["half_width"], key)
            self.assertLess(step["half_width"], 0.03 * before, key)
            self.assertEqual(step["parts"][0]["case"], CASES[3])
        self.assertEqual(steps["training", ""]["parts"][0]["calls"], 12)
        self.assertEqual(steps["training", "forward"]["parts"][0]["calls"], 4)
        # At least seven tenths of the change are the planted case's; the rest is noise.
        line = next(line for line in text.splitlines() if line.startswith("training step"))
        self.assertRegex(line, r"^training step \+[\d.]+ % ± [\d.]+ %, (all|\d+ %) of it in " + re.escape(CASES[3]))
        percent = float(re.search(r"\+([\d.]+) %", line)[1])
        exact = step_s(["forward", "backward"], slower) / step_s(["forward", "backward"]) - 1
        self.assertLess(abs(percent - 100 * exact), 100 * steps["training", ""]["half_width"] / steps["training", ""]["baseline"])

    def test_nothing_is_blamed_where_nothing_changed(self):
        text, steps = self.compare({})
        for key, step in steps.items():
            self.assertLess(abs(step["candidate"] - step["baseline"]), step["half_width"], key)
        self.assertIn("decode step", text)
        self.assertNotIn("of it in", text)

    def test_what_the_cases_cover_of_the_measured_step(self):
        text, _ = self.compare({})
        covered = step_s(["decode"]) / 4e-3
        line = next(line for line in text.splitlines() if line.startswith("decode step"))
        found = re.search(r"(\d+) % of the 4.00\sms that the program took for a step", line)
        self.assertAlmostEqual(int(found[1]), 100 * covered, delta=1)
        busy = step_s(["forward", "backward"]) / 8e-4
        line = next(line for line in text.splitlines() if line.startswith("training step"))
        found = re.search(r"(\d+) % of the 800\sµs for which the program's GPU worked in a step", line)
        self.assertAlmostEqual(int(found[1]), 100 * busy, delta=1)


if __name__ == "__main__":
    unittest.main()
