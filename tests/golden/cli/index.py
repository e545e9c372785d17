"""The index of a folder of runs changes no result: `history` and `compare --history` print the same JSON with and without
it, whatever became of the runs since it was made.

usage: index.py PLUMBLINE
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PLUMBLINE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))

import planted_run

INDEX = "runs/plumbline-index.sqlite"
OLD, NEW = "op1/libtorch/n=1", "op1/libtorch/n=100"
SLOWED = "op2/libtorch/n=2"


class Index(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="plumbline-index-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "runs").mkdir()
        for night in range(8):
            self.night(f"runs/night-{night}", night)
        self.night("candidate", 20, factors={SLOWED: 1.2}, ids=[NEW if i == OLD else i for i in planted_run.cases(12)])
        self.edited("candidate", suites=[{"name": "planted", "path": "planted.yaml", "hash": "0", "renames": {OLD: NEW}}])
        self.edited("runs/night-6", finished_at=None)
        shutil.copytree(self.folder / "runs/night-2", self.folder / "runs/night-2-copy")
        self.plumbline("accept", "runs/night-0", "--baselines", "baselines", "--why", "first", "--author", "A")
        self.plumbline("acknowledge", SLOWED, "--baselines", "baselines", "--why", "known", "--author", "A")

    def night(self, name, day, factors=None, ids=None):
        planted_run.write_run(self.folder / name, ids or planted_run.cases(12), seed=day, day=day + 1,
                              uuid=f"GPU-{day % 2}", slower=factors)
        results = self.folder / name / "results.csv"
        text = results.read_text()
        if day == 3:  # another revision of a problem
            text = text.replace(",op3,libtorch,1,", ",op3,libtorch,2,")
        if day == 4:  # a case that fails
            text = "\n".join(line if ",op0/libtorch/n=4," not in line else self.failed(line) for line in text.split("\n"))
        results.write_text(text)

    @staticmethod
    def failed(line):
        fields = line.split(",")
        fields[6], fields[12], fields[13] = "UNSUPPORTED", "", ""
        return ",".join(fields)

    def edited(self, name, **members):
        path = self.folder / name / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | members))

    def plumbline(self, *words, codes=(0,)):
        done = subprocess.run([PLUMBLINE, *words], cwd=self.folder, capture_output=True, text=True)
        self.assertIn(done.returncode, codes, done.stderr)
        return done

    def told(self):
        """What both commands print, on both streams."""
        words = [("history", SLOWED), ("history", "op3/libtorch/n=3"), ("history", OLD), ("history", "op0/libtorch/n=4")]
        texts = []
        for command in words:
            done = self.plumbline(*command, "--runs", "runs", "--json")
            texts += [done.stdout, done.stderr]
        for baseline in ("runs/night-0", "baselines"):
            done = self.plumbline("compare", baseline, "candidate", "--history", "--runs", "runs", "--json", codes=(0, 1, 3))
            texts += [done.stdout, done.stderr]
        self.assertIn("has not finished", texts[1])
        self.assertIn("is a copy of", texts[1])
        return texts

    def without(self):
        """What they print without an index: these runs are too small for one."""
        (self.folder / INDEX).unlink(missing_ok=True)
        told = self.told()
        self.assertFalse((self.folder / INDEX).exists())
        return told

    def check(self, what):
        """With the index as it is now, and again; then without. An empty file is an index without runs."""
        index = self.folder / INDEX
        kept = index.read_bytes() if index.exists() else b""
        truth = self.without()
        index.write_bytes(kept)
        for _ in range(2):
            for with_index, expected in zip(self.told(), truth):
                self.assertEqual(with_index, expected, what)
        self.assertGreater(index.stat().st_size, 10_000)

    def test_results_are_the_same_whatever_became_of_the_runs(self):
        self.check("a new index")
        self.assertEqual(json.loads(self.told()[0])[0]["case"], SLOWED)
        shutil.rmtree(self.folder / "runs/night-1")
        self.check("a run that was deleted")
        self.night("runs/night-9", 9, factors={SLOWED: 1.1})
        self.check("a run that was added")
        self.night("changed", 14)
        os.replace(self.folder / "changed/results.csv", self.folder / "runs/night-5/results.csv")
        self.check("a run whose results changed")
        self.edited("runs/night-7", finished_at=None)
        self.check("a run that is unfinished now")
        os.rename(self.folder / "runs/night-4", self.folder / "runs/renamed")
        self.check("a run that was renamed")

    def test_a_wrong_case_names_the_same_cases(self):
        def told():
            return self.plumbline("history", "op1", "--runs", "runs", codes=(2,)).stderr

        truth = told()
        self.assertIn("op1/libtorch/n=1", truth)
        (self.folder / INDEX).touch()
        self.assertEqual(told(), truth)

    def test_nonsense_in_its_place_is_told_and_replaced(self):
        (self.folder / INDEX).write_text("nonsense " * 1000)
        told = self.plumbline("history", SLOWED, "--runs", "runs").stderr
        self.assertIn("is made anew", told)
        self.assertNotIn("is made anew", self.plumbline("history", SLOWED, "--runs", "runs").stderr)

    def test_where_it_cannot_be_written_a_note_says_so_once(self):
        (self.folder / INDEX).mkdir()
        done = self.plumbline("history", SLOWED, "--runs", "runs", "--json")
        self.assertEqual(done.stderr.count("cannot be used"), 1)
        (self.folder / INDEX).rmdir()
        self.assertEqual(done.stdout, self.plumbline("history", SLOWED, "--runs", "runs", "--json").stdout)

    def test_a_command_that_was_killed_leaves_a_whole_index(self):
        truth = self.without()
        for delay_s in (0.001, 0.004, 0.008, 0.016, 0.03):
            (self.folder / INDEX).write_bytes(b"")
            (self.folder / (INDEX + "-journal")).unlink(missing_ok=True)
            killed = subprocess.Popen([PLUMBLINE, "history", SLOWED, "--runs", "runs"], cwd=self.folder,
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end = time.monotonic() + delay_s  # where the kill lands does not matter
            while time.monotonic() < end:
                pass
            killed.send_signal(signal.SIGKILL)
            killed.wait()
            self.assertEqual(self.told(), truth, delay_s)

    def test_commands_at_once_agree(self):
        truth = self.without()[0]
        (self.folder / INDEX).touch()
        command = [PLUMBLINE, "history", SLOWED, "--runs", "runs", "--json"]
        running = [subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                   for _ in range(6)]
        for one in running:
            out, err = one.communicate()
            self.assertEqual((one.returncode, out), (0, truth), err)
            self.assertNotIn("cannot be used", err)


if __name__ == "__main__":
    unittest.main()
