"""The mappings of harness/import read all published results that they are for.

The tables are read from $PLUMBLINE_FACTS, else from shared/data beside this tree. Without them the test is skipped.
Needs no worker.
"""

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
TABLES = {  # table -> mapping, cases: repeated rows are samples of one case
    "aiconfigurator_gemm_by_gpu.csv": ("aiconfigurator_gemm.yaml", 5225),
    "deepbench_gemm.csv": ("deepbench_gemm.yaml", 2579),
    "deepbench_conv.csv": ("deepbench_conv.yaml", 1720),
    "deepbench_rnn.csv": ("deepbench_rnn.yaml", 1027),
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
        """Paths of the runs, and the command's messages."""
        mapping = ROOT / "harness" / "import" / "mappings" / TABLES[table][0]
        done = self.plumbline("import", "csv", FACTS / table, "--map", mapping, "-o", table)
        return done.stdout.split(), done.stderr

    def test_every_row_becomes_a_result(self):
        for table, (_, cases) in TABLES.items():
            with self.subTest(table=table):
                runs, said = self.imported(table)
                self.assertGreater(len(runs), 2)
                self.assertEqual(sum(map(int, re.findall(r": (\d+) results?,", said))), cases, said)
                self.assertNotIn("left out", said)

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
