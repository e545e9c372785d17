#!/usr/bin/python3
"""This tree's own kernels on a CUDA GPU: right at every corner, clean under compute-sanitizer.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and
the reason where there is no GPU.
"""

import collections
import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

CORNERS = planted.ROOT / "tests" / "gpu" / "suites" / "custom_corners.yaml"
TOO_LONG = "these kernels hold rows of up to"
CHECKS = ("memcheck", "racecheck", "initcheck")
# Whole packs in warps; single elements, beyond a tile, in blocks; long rows; vectors, products, losses.
SHAPES = ("rows=33", "rows=129", "rows=7", "elements=257", "m=129", "rows=513")


class Custom(planted.Planted):
    device = "cuda"

    def test_kernels_are_right_at_every_corner(self):
        run = self.folder / "run"
        self.expect(0, self.plumbline("run", CORNERS, "-o", run, "--device", "cuda"))
        right = collections.Counter()
        for row in planted.read_rows(run):
            if row["status"] == "EXCLUDED":
                continue
            if row["status"] == "UNSUPPORTED":
                self.assertIn(TOO_LONG, row["reason"], row["case"])
                continue
            self.assertEqual(row["status"], "OK", f"{row['case']}: {row['reason']}")
            [plan] = json.loads(row["plan"])
            self.assertLess(plan["index"], plan["candidates"])
            right[row["op"]] += 1
        self.assertEqual(len(right), 14)
        self.assertGreater(min(right.values()), 15)

    def test_a_kernel_that_is_not_there_is_refused_with_the_names_of_those_that_are(self):
        suite = self.plant(
            "one.yaml",
            "suite: one\nbenchmarks:\n"
            '  - {op: transpose, backend: [custom], sweep: {rows: [8], cols: [8], plan: [5], dtype: [float32]}}\n',
        )
        done = self.plumbline("run", suite, "-o", self.folder / "run", "--device", "cuda")
        self.expect(2, done)
        rows = planted.read_rows(self.folder / "run")  # one for each metric
        self.assertEqual({row["status"] for row in rows}, {"UNSUPPORTED"})
        for row in rows:
            self.assertIn("0 wide, 1 padded, 2 shared, 3 coalesced, 4 naive", row["reason"])

    @unittest.skipUnless(shutil.which("compute-sanitizer"), "compute-sanitizer is not installed")
    def test_kernels_are_clean_under_compute_sanitizer(self):
        listed = json.loads(self.plumbline("list", CORNERS, "--json").stdout)
        chosen = [case["id"] for case in listed if any(f"/{shape}" in case["id"] for shape in SHAPES)]
        ops = {case["op"] for case in listed}
        words = [word for case in chosen for word in ("--case", case)]
        for check in CHECKS:
            with self.subTest(check=check):
                folder = self.folder / check
                self.expect(0, self.plumbline("run", CORNERS, "-o", folder, "--sanitizer", check, "--device", "cuda", *words))
                cases = json.loads((folder / "sanitizer.json").read_text())["cases"]
                self.assertEqual({case["errors"] for case in cases}, {0})
                self.assertEqual({case["case"].split("/")[0] for case in cases}, ops)
                self.assertEqual(len(cases), len(chosen))


if __name__ == "__main__":
    planted.main_on_gpu()
