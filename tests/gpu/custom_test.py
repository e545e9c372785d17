#!/usr/bin/python3
"""This tree's own kernels on a CUDA GPU: right for all kinds of shapes, and without findings by compute-sanitizer.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason if there
is no GPU.
"""

import collections
import concurrent.futures
import itertools
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
# Whole packs in warps; ragged rows and single elements; narrow and flat matrices; rows in blocks, and rows too long for
# them; vectors, products, losses.
SHAPES = (
    {"rows=33", "cols=1024"}, {"rows=129", "cols=63"}, {"rows=129", "cols=257"}, {"rows=136", "cols=16"},
    {"rows=16", "cols=136"}, {"rows=13", "cols=3"}, {"rows=7", "cols=16384"}, {"rows=3", "cols=32775"},
    {"elements=257"}, {"m=129", "dtype=bfloat16"}, {"rows=513", "classes=1000"},
)  # fmt: skip
# The code of the other 16-bit type differs only by a conversion; these variants leave code out.
LEFT_OUT = {"affine=false", "approximate=tanh", "dtype=float16"}
SHARDS = 4  # parts of each checker's cases, run in parallel: checkers load a processor more than the GPU
LIMIT_S = 600


class Custom(planted.Planted):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        planted.LIMIT_S = LIMIT_S

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

    @staticmethod
    def is_chosen(case):
        parts = set(case.split("/"))
        return any(shape <= parts for shape in SHAPES) and not parts & LEFT_OUT

    def sanitized(self, check, shard, cases):
        """The checker's finding for each of a shard's cases; runs beside others, so with its own lock."""
        folder = self.folder / f"{check}-{shard}"
        words = [word for case in cases for word in ("--case", case)]
        how = ("--sanitizer", check, "--shard", f"{shard}/{SHARDS}", "--device", "cuda")
        locks = str(self.folder / f"locks-{check}-{shard}")
        self.expect(0, self.plumbline("run", CORNERS, "-o", folder, *how, *words, PLUMBLINE_LOCKS=locks))
        return json.loads((folder / "sanitizer.json").read_text())["cases"]

    @unittest.skipUnless(shutil.which("compute-sanitizer"), "compute-sanitizer is not installed")
    def test_kernels_are_clean_under_compute_sanitizer(self):
        listed = json.loads(self.plumbline("list", CORNERS, "--json").stdout)
        chosen = [case["id"] for case in listed if self.is_chosen(case["id"])]
        runs = list(itertools.product(CHECKS, range(1, SHARDS + 1)))
        with concurrent.futures.ThreadPoolExecutor(len(runs)) as pool:
            found = list(pool.map(lambda run: (run[0], self.sanitized(*run, chosen)), runs))
        for check in CHECKS:
            with self.subTest(check=check):
                cases = [case for of, cases in found if of == check for case in cases]
                self.assertEqual({case["errors"] for case in cases}, {0})
                self.assertEqual(sorted(case["case"] for case in cases), sorted(chosen))
        self.assertEqual({case.split("/")[0] for case in chosen}, {case["op"] for case in listed})
        print(f"{len(chosen)} cases without findings under each of {', '.join(CHECKS)}")


if __name__ == "__main__":
    planted.main_on_gpu()
