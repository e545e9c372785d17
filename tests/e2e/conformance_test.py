"""plumbline-worker, alone and inside a Python, follows docs/reference/protocol.md.

A Python with torch runs this.
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
WORKER = pathlib.Path(os.environ.get("PLUMBLINE_WORKER") or BUILD / "bin" / "plumbline-worker")


class Conformance(unittest.TestCase):
    def passes(self, *worker):
        done = subprocess.run(
            [BUILD / "bin" / "plumbline", "worker", "test", "--json", "--device", "cpu", *worker],
            capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        self.assertEqual([row for row in json.loads(done.stdout) if not row["ok"]], [], done.stderr)
        self.assertEqual(done.returncode, 0)

    def test_the_worker_passes_all_checks_on_the_cpu(self):
        self.passes(WORKER)

    def test_so_does_the_one_that_a_python_has_loaded(self):
        self.passes(sys.executable, BUILD / "bin" / "plumbline-worker.py")


if __name__ == "__main__":
    unittest.main()
