"""The command line with a worker that invents its times and faults: shared by the tests of faults.

Runs `plumbline` with tests/support/fake_worker.py. No sleeps: a fifo tells when something has happened.
"""

import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FAKE_WORKER = HERE.parent.parent / "support" / "fake_worker.py"
PROGRAM = None  # from the command line
TIMEOUT_S = 120


class FaultTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.folder)
        self.work = self.folder / "work"
        shutil.copytree(HERE / "fixtures", self.work)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PLUMBLINE_WORKER": str(FAKE_WORKER),
            "PLUMBLINE_CACHE": str(self.folder / "cache"),
            "PLUMBLINE_LOCKS": str(self.folder / "locks"),
            "GIT_CEILING_DIRECTORIES": str(self.folder),
        }

    def start(self, *arguments, program=None, cwd=None, limit=None, **environment):
        return subprocess.Popen(
            [program or PROGRAM, *arguments],
            cwd=cwd or self.work,
            env=self.environment | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )

    def plumbline(self, *arguments, **options):
        process = self.start(*arguments, **options)
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err

    def follow(self, page):
        """Runs the commands of a page in docs/ and expects that each succeeds."""
        text = (HERE.parents[2] / "docs" / page).read_text(encoding="utf-8")
        lines = [line for block in re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL) for line in block.splitlines()]
        self.assertTrue(lines, page)
        path = f"{pathlib.Path(PROGRAM).parent}:{self.environment['PATH']}"
        for line in lines:
            done = subprocess.run(["bash", "-c", line], cwd=self.work, env=self.environment | {"PATH": path}, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, f"{line}\n{done.stderr}")

    def visits(self, run):
        """(case, round) of every row of results.csv that has samples, in order."""
        with open(self.work / run / "results.csv", newline="") as file:
            return [(row["case"], int(row["round"])) for row in csv.DictReader(file) if row["metric"]]

    def hanging(self, *arguments):
        """A run that has taken its lock and hangs in a case."""
        fifo = self.folder / "ready"
        os.mkfifo(fifo)
        process = self.start(*arguments, FAKE_WORKER='[["n=16","hang"]]', FAKE_WORKER_READY=str(fifo))
        self.addCleanup(lambda: process.poll() is None and process.kill())
        with open(fifo) as ready:
            self.assertEqual(ready.read(), "hangs")
        return process

    def finish(self, process):
        out, err = process.communicate(timeout=TIMEOUT_S)
        return process.returncode, out, err


def main():
    global PROGRAM
    PROGRAM = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main(module="__main__")
