#!/usr/bin/python3
"""compute-sanitizer finds a kernel that writes out of bounds; the finding names its case.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), tests/, Python and compute-sanitizer; ends with 77 and the
reason if one of them or the GPU is missing.
"""

import json
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402
from planted import benchmark  # noqa: E402

HEALTHY = "  - {op: relu, sweep: {elements: [1000, 2000], dtype: [float32]}}\n"
STREAMED = "  - {op: relu, sweep: {elements: [3000], dtype: [float32], stream: [{count: 2}, {count: 3, dependencies: chain}]}}\n"
SIZES = (64, 1000)


class Sanitizer(planted.Planted):
    device = "cuda"

    def checked(self, tool, benchmarks, code):
        """Runs the suite under the tool; returns the command's result and {case: record}."""
        suite = self.plant("checked.yaml", planted.suite_text("checked", benchmarks))
        folder = self.folder / tool
        done = self.plumbline(*self.run_words(suite, folder, "--sanitizer", tool))
        self.expect(code, done)
        record = json.loads((folder / "sanitizer.json").read_text(encoding="utf-8"))
        return done, {case["case"]: case for case in record["cases"]}

    def test_memcheck_finds_the_overrun_names_its_case_and_acquits_the_others(self):
        done, cases = self.checked("memcheck", [HEALTHY, benchmark("overrun", SIZES), HEALTHY.replace("relu", "silu")], 1)
        found = {case for case, record in cases.items() if record["findings"]}
        self.assertEqual(found, {case for case in cases if case.startswith("planted::overrun/")})
        self.assertEqual(len(found), len(SIZES))
        for case, record in cases.items():
            with self.subTest(case):
                if case not in found:
                    self.assertEqual((record["status"], record["errors"]), ("OK", 0))
                    continue
                self.assertEqual(record["status"], "WRONG")
                finding = record["findings"][0]
                self.assertIn("Invalid __global__ write of size 4 bytes", finding["kind"])
                self.assertIn("doubled", finding["kernel"])
                self.assertIn("out of bounds", finding["address"])
                self.assertIn(record["reason"], done.stdout)

    def test_healthy_cases_are_clean_under_every_tool(self):
        for tool in ("memcheck", "racecheck", "initcheck", "synccheck"):
            with self.subTest(tool):
                _, cases = self.checked(tool, [HEALTHY, STREAMED], 0)
                self.assertEqual(len(cases), 4)
                self.assertEqual({record["status"] for record in cases.values()}, {"OK"})

    def test_one_case_is_profiled_under_memcheck(self):
        suite = self.plant("one.yaml", planted.suite_text("one", [benchmark("overrun"), HEALTHY]))
        more = ("--device", "cuda", "--extension", planted.EXTENSION, "--tool", "sanitizer", "-o", self.folder)
        done = self.plumbline("list", suite, "--extension", planted.EXTENSION)
        bad, good, _ = done.stdout.split()
        found = self.plumbline("profile", bad, suite, *more)
        self.expect(1, found, "memcheck: Invalid __global__ write of size 4 bytes")
        self.expect(0, self.plumbline("profile", good, suite, *more), "the case is OK")


if __name__ == "__main__":
    if not any(shutil.which("compute-sanitizer", path=path) for path in (None, "/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer")):
        print("compute-sanitizer is not installed")
        sys.exit(planted.SKIPPED)
    planted.main_on_gpu()
