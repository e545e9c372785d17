#!/usr/bin/python3
"""plumbline run --sanitizer and plumbline profile on the CPU; a script plays NVIDIA's tools.

The script plants findings by case; the worker, its launches and the results are real.
"""

import json
import os

import planted
from planted import benchmark

FAKE = planted.ROOT / "tests" / "support" / "fake_tool.py"
HEALTHY = "  - {op: relu, sweep: {elements: [1000, 2000, 3000], dtype: [float32]}}\n"


class Tools(planted.Planted):
    def setUp(self):
        super().setUp()
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("ncu", "nsys", "compute-sanitizer"):
            (tools / name).symlink_to(FAKE)
        self.path = f"{tools}:{os.environ['PATH']}"

    def checked(self, benchmarks, code, plan=()):
        suite = self.plant("checked.yaml", planted.suite_text("checked", benchmarks))
        words = self.run_words(suite, self.folder / "run", "--sanitizer", "memcheck")
        done = self.plumbline(*words, PATH=self.path, FAKE_TOOL=json.dumps(plan))
        self.expect(code, done)
        record = json.loads((self.folder / "run" / "sanitizer.json").read_text(encoding="utf-8"))
        return done, {case["case"]: case for case in record["cases"]}

    def test_findings_are_of_their_cases_and_healthy_cases_are_clean(self):
        plan = [["elements=2000", "at once"], ["elements=3000", "at the end"]]
        done, cases = self.checked([HEALTHY, benchmark("throws")], 1, plan)
        statuses = {case.split("=")[-1] if "relu" in case else "throws": record["status"] for case, record in cases.items()}
        self.assertEqual(statuses, {"1000": "OK", "2000": "WRONG", "3000": "WRONG", "throws": "CRASHED"})
        for case, record in cases.items():
            self.assertEqual(record["errors"], 1 if record["status"] == "WRONG" else 0, case)
        self.assertIn("memcheck: Invalid __global__ write of size 4 bytes at planted_kernel", done.stdout)

    def test_cases_that_no_worker_launches_are_not_checked(self):
        streams = "  - {op: relu, sweep: {elements: [1000], stream: [{count: 2}], dtype: [float32]}}\n"
        done, cases = self.checked([streams], 2)
        self.assertEqual({record["status"] for record in cases.values()}, {"UNSUPPORTED"})
        self.assertIn("nothing was checked", done.stderr)

    def test_what_times_nothing_locks_no_clock(self):
        suite = self.plant("checked.yaml", planted.suite_text("checked", [HEALTHY]))
        words = self.run_words(suite, self.folder / "run", "--sanitizer", "memcheck")
        done = self.plumbline(*words, "--lock-clocks", "base", PATH=self.path)
        self.expect(2, done)
        self.assertIn("--lock-clocks does not go with --sanitizer", done.stderr)

    def test_a_worker_that_dies_harms_no_other_case(self):
        _, cases = self.checked([HEALTHY, benchmark("segfault")], 1)
        self.assertEqual(
            sorted(record["status"] for record in cases.values()), ["CRASHED", "OK", "OK", "OK"]
        )

    def test_a_profile_holds_launches_of_one_case_that_was_verified(self):
        suite = self.plant("one.yaml", planted.suite_text("one", [HEALTHY]))
        case = "relu/libtorch/dtype=float32/elements=2000"
        done = self.plumbline("profile", case, suite, "--device", "cpu", "--tool", "ncu", "-o", self.folder, PATH=self.path)
        self.expect(0, done, "the case is OK")
        self.assertTrue(done.stdout.strip().endswith(".ncu-rep"))
        self.assertEqual(len(list(self.folder.glob("*.ncu-rep"))), 1)


if __name__ == "__main__":
    planted.main()
