"""The mappings in imports/ read all of the published results that they are for.

The tables are read from $PLUMBLINE_FACTS, else from shared/data beside this tree; without them there
is nothing to read, and the test is skipped. Needs no worker.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
FACTS = pathlib.Path(os.environ.get("PLUMBLINE_FACTS") or ROOT.parent / "shared" / "data")
TABLES = {  # table -> mapping
    "aiconfigurator_gemm_by_gpu.csv": "aiconfigurator_gemm.yaml",
    "deepbench_gemm.csv": "deepbench_gemm.yaml",
    "deepbench_conv.csv": "deepbench_conv.yaml",
    "deepbench_rnn.csv": "deepbench_rnn.yaml",
}
SKIPPED = 77


class Published(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def plumbline(self, *words):
        done = subprocess.run(
            [BUILD / "bin" / "plumbline", *words], cwd=self.folder, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def imported(self, table):
        """Paths of the runs, and what was said of them."""
        mapping = ROOT / "imports" / TABLES[table]
        done = self.plumbline("import", "csv", FACTS / table, "--map", mapping, "-o", table)
        return done.stdout.split(), done.stderr

    def test_every_row_becomes_a_result_or_is_said_to_be_left_out(self):
        for table in TABLES:
            with self.subTest(table=table), open(FACTS / table, newline="", encoding="utf-8") as file:
                rows = sum(1 for _ in csv.DictReader(file))
                runs, said = self.imported(table)
                self.assertGreater(len(runs), 2)
                results = sum(map(int, re.findall(r": (\d+) results?,", said)))
                left_out = sum(map(int, re.findall(r"(\d+) rows? (?:is|are) left out", said)))
                self.assertGreaterEqual(results + left_out, rows * 0.9, said)

    def test_ten_gpu_models_stand_side_by_side(self):
        runs, _ = self.imported("aiconfigurator_gemm_by_gpu.csv")
        table = self.plumbline("devices", *runs).stdout
        for model in ("H100", "H200", "B200", "GB300", "L40S", "A100"):
            self.assertIn(model, table)


if __name__ == "__main__":
    if not all((FACTS / table).is_file() for table in TABLES):
        print(f"skipped: the published tables are not in {FACTS}; $PLUMBLINE_FACTS names their folder")
        sys.exit(SKIPPED)
    unittest.main()
