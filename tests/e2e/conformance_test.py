#!/usr/bin/python3
"""plumbline-worker is a worker as docs/reference/protocol.md says."""

import json
import os
import pathlib
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
WORKER = pathlib.Path(os.environ.get("PLUMBLINE_WORKER") or BUILD / "bin" / "plumbline-worker")


class Conformance(unittest.TestCase):
    def test_the_worker_passes_all_checks_on_the_cpu(self):
        done = subprocess.run(
            [BUILD / "bin" / "plumbline", "worker", "test", "--json", "--device", "cpu", WORKER],
            capture_output=True, text=True, timeout=300,
        )
        self.assertEqual([row for row in json.loads(done.stdout) if not row["ok"]], [], done.stderr)
        self.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    unittest.main()
