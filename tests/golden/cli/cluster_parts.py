#!/usr/bin/python3
"""What the jobs of a cluster call: `run --resume --any-device`, `compare --in-doubt` and `compare --pairs`.

usage: cluster_parts.py PLUMBLINE
"""

import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FAKE_WORKER = HERE.parents[1] / "support/fake_worker.py"
PROGRAM = None  # from the command line
TIMEOUT_S = 60


class Calls(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        shutil.copy(HERE / "fixtures/demo.yaml", self.folder)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),
            "PLUMBLINE_WORKER": str(FAKE_WORKER),
            "PLUMBLINE_LOCKS": str(self.folder / "locks"),
            "GIT_CEILING_DIRECTORIES": str(self.folder.parent),
        }

    def call(self, *words, code=0, **variables):
        done = subprocess.run(
            [PROGRAM, *map(str, words)], cwd=self.folder, env=self.environment | variables,
            capture_output=True, text=True, timeout=TIMEOUT_S,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def rows(self, run):
        with open(self.folder / run / "results.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


class Moved(Calls):
    """A run that is stopped in its second round, and goes on elsewhere."""

    def setUp(self):
        super().setUp()
        ready = self.folder / "ready"
        os.mkfifo(ready)
        environment = self.environment | {
            "FAKE_WORKER_UUID": "FAKE-A", "FAKE_WORKER": '[["rows=256", "hang"]]', "FAKE_WORKER_READY": str(ready)}
        words = [PROGRAM, "run", "demo.yaml", "-o", "r", "--filter", "softmax*"]
        process = subprocess.Popen(words, cwd=self.folder, env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.kill)
        with open(ready, encoding="utf-8") as file:
            file.read()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(TIMEOUT_S), 128 + signal.SIGTERM)
        self.again = ("run", "demo.yaml", "-o", "r", "--filter", "softmax*", "--resume")

    def test_it_goes_on_on_another_device_of_the_class_if_that_is_asked_for(self):
        self.assertIn("device: FAKE-A then, FAKE-B now", self.call(*self.again, code=2, FAKE_WORKER_UUID="FAKE-B"))
        before = self.rows("r")
        self.call(*self.again, "--any-device", FAKE_WORKER_UUID="FAKE-B")
        rows = self.rows("r")
        self.assertEqual(rows[:len(before)], before)
        self.assertEqual({row["device"] for row in rows[len(before):]}, {"FAKE-B"})
        visits = [(row["case"], row["round"]) for row in rows]
        self.assertEqual(len(visits), len(set(visits)))
        self.assertEqual(len(visits), 4 * 2)
        run = json.loads((self.folder / "r/run.json").read_text(encoding="utf-8"))
        self.assertEqual(run["environment"]["device_uuid"], "FAKE-A,FAKE-B")

    def test_it_does_not_go_on_on_a_device_of_another_class(self):
        other = json.dumps([["cpu", "FAKE-B", "Another device"]])
        said = self.call(*self.again, "--any-device", code=2, FAKE_WORKER_DEVICES=other)
        self.assertIn("device class: Fake device then, Another device now", said)


class Doubted(Calls):
    """A slowdown that one screen sees, and pairs that were measured apart from it."""

    def setUp(self):
        super().setUp()
        for name, factor in (("a", "1"), ("b", "1.5")):
            worker = self.folder / name
            worker.write_text(f'#!/bin/sh\nFAKE_WORKER_FACTOR={factor} exec "{FAKE_WORKER}" "$@"\n')
            worker.chmod(0o755)
        self.call("run", "demo.yaml", "--rounds", "3", "--worker", "./a", "-o", "base")
        self.call("run", "demo.yaml", "--rounds", "3", "--worker", "./b", "-o", "now")
        self.said = self.call("compare", "base", "now", "--in-doubt", "doubts.tsv", code=3)
        lines = (self.folder / "doubts.tsv").read_text(encoding="utf-8").splitlines()
        self.doubts = [line.split("\t") for line in lines]

    def measure(self, folder, cases, code=1):
        chosen = [word for case in cases for word in ("--case", case)]
        self.call("ab", "./a", "./b", "demo.yaml", "-o", folder, *chosen, code=code)

    def verdicts(self):
        comparison = json.loads((self.folder / "verdict.json").read_text(encoding="utf-8"))
        return {finding["case"]: finding["verdict"] for finding in comparison["findings"] if finding.get("change")}

    def test_cases_in_doubt_are_listed_with_their_device_and_decided_by_all_pairs_together(self):
        self.assertEqual({device for device, _ in self.doubts}, {"FAKE-0001"})
        cases = [case for _, case in self.doubts]
        self.assertEqual(len(cases), 5)
        self.measure("p1", cases[:2])
        self.measure("p2", cases[2:])
        self.call("compare", "base", "now", "--pairs", "p1", "--pairs", "p2", "-o", "verdict.json", code=1)
        self.assertEqual(self.verdicts(), dict.fromkeys(cases, "SLOWER"))

    def test_nothing_is_measured_again_where_nothing_looks_changed(self):
        self.call("run", "demo.yaml", "--rounds", "3", "--worker", "./a", "-o", "same")
        self.call("compare", "base", "same", "--in-doubt", "none.tsv")
        self.assertEqual((self.folder / "none.tsv").read_text(encoding="utf-8"), "")

    def test_a_case_without_pairs_stays_in_doubt_and_is_counted(self):
        cases = [case for _, case in self.doubts]
        self.measure("p1", cases[:2])
        said = self.call("compare", "base", "now", "--pairs", "p1", "-o", "verdict.json", code=1)
        self.assertIn("3 cases that looked changed have no pairs", said)
        slower = [case for case, verdict in self.verdicts().items() if verdict == "SLOWER"]
        self.assertEqual(sorted(slower), sorted(cases[:2]))

    def test_folders_that_are_no_pairs_are_named(self):
        cases = [case for _, case in self.doubts]
        self.measure("p1", cases[:1])
        self.measure("p2", cases[:1])
        said = self.call("compare", "base", "now", "--pairs", "p1", "--pairs", "p2", code=2)
        self.assertIn(f"p1 and p2 both have {cases[0]}", said)
        self.assertIn("found no run 'a'", self.call("compare", "base", "now", "--pairs", "base", code=2))


class Page(Calls):
    """The examples of docs/how-to/slurm.md."""

    def setUp(self):
        super().setUp()
        self.text = (HERE.parents[2] / "docs/how-to/slurm.md").read_text(encoding="utf-8")
        (self.folder / "suites/nightly").mkdir(parents=True)
        shutil.move(self.folder / "demo.yaml", self.folder / "suites/nightly")
        [settings] = re.findall(r"^```yaml\n(.*?)^```", self.text, re.MULTILINE | re.DOTALL)
        (self.folder / "plumbline.yaml").write_text(settings, encoding="utf-8")
        shells = re.findall(r"^```sh\nplumbline (.*?)\n```", self.text, re.MULTILINE | re.DOTALL)
        self.slurm, self.kubernetes = (shlex.split(line.split("|")[0]) for line in shells)

    def test_the_submission_has_the_settings_of_the_page(self):
        said = self.call(*self.slurm, "--dry-run")
        for line in ("#SBATCH --array=1-5%8", "#SBATCH --gres=gpu:1", "#SBATCH --partition=gpu", "#SBATCH --time=02:00:00",
                     "#SBATCH --mem=64G", "  module load cuda/13.0", "  source ~/venv/bin/activate",
                     f"PLUMBLINE=(apptainer exec --nv /images/torch.sif {PROGRAM})"):
            self.assertIn(line + "\n", said)
        for file in re.findall(r"^\| `([a-z]+[.]sh)`", self.text, re.MULTILINE):
            self.assertIn(file, said)

    def test_the_jobs_of_the_page_are_printed(self):
        words = [str(self.folder) if word == "/bench" else word for word in self.kubernetes]
        said = self.call(*words)
        self.assertIn("completionMode: Indexed", said)
        self.assertIn('image: "registry.example/bench:1"', said)
        self.assertIn("PLUMBLINE=(plumbline)\n", said)  # nothing of `slurm:`
        self.assertNotIn("module load", said)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
