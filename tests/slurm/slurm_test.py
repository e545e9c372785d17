#!/usr/bin/python3
"""`plumbline submit slurm` on a real slurmctld, slurmds and munged, with four fake nodes on this machine.

Every fake node is a machine of its own to the worker: it has its own machine id, so its own device. The project and its
suite have names that need quoting. What was seen is kept in tests/slurm.log of the build. Exit code 77 without Slurm
or root."""

import collections
import csv
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

import cluster

BUILD = pathlib.Path(os.environ["PLUMBLINE_BUILD"])
PROGRAM = BUILD / "bin/plumbline"
WORKER = BUILD / "bin/plumbline-worker"
FAKE_WORKER = pathlib.Path(__file__).resolve().parents[1] / "support/fake_worker.py"
SUITE = """\
suite: tiny
measure: {rounds: %d}
benchmarks:
  - op: add
    backend: [libtorch]
    sweep: {elements: [1024, 2048, 4096, 8192, 16384, 32768, 65536], dtype: [float32]}
"""
CASES = 7
# A worker in a mount namespace of its own, in which the node has another machine id. Where that is not permitted, all
# nodes have one device.
WORKER_OF_NODE = """\
#!/bin/bash
unshare --mount true 2>/dev/null || exec {worker} "$@"
id={folder}/machine-id-$SLURMD_NODENAME
[[ -e $id ]] || echo "$SLURMD_NODENAME" >"$id"
exec unshare --mount bash -c 'mount --bind "$1" /etc/machine-id; shift; exec "$@"' - "$id" {worker} "$@"
"""
# A worker that makes up its times at once. From the second round on it hangs, until the file `go` is there.
FAKE_WORKER_OF_NODE = """\
#!/bin/bash
export FAKE_WORKER_UUID=FAKE-$SLURMD_NODENAME
results=("{project}/runs/slurm/"*"/shards/$SLURM_ARRAY_TASK_ID/results.csv")
if [[ ! -e {folder}/go ]] && (($(wc -l <"${{results[0]}}" 2>/dev/null || echo 0) > 1)); then
  export FAKE_WORKER='[["", "hang"]]'
fi
exec {worker} "$@"
"""
# Each side of a pair is as slow as its file `slowdown` says.
FAKE_WORKER_OF_SIDE = """\
#!/bin/bash
export FAKE_WORKER_UUID=FAKE-$SLURMD_NODENAME FAKE_WORKER_FACTOR=$(cat "${0%/*}/slowdown")
exec {worker} "$@"
"""
PROJECT = """\
device: cpu
slurm:
  partition: batch
  gres: gpu:1
  setup:
    - export PLUMBLINE_LOCKS="{folder}/locks of $SLURMD_NODENAME"  # fake nodes share a /tmp
"""


def can_unshare():
    return subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode == 0


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-slurm-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        (BUILD / "tests").mkdir(exist_ok=True)
        cls.log = open(BUILD / "tests/slurm.log", "w", encoding="utf-8")
        cls.addClassCleanup(cls.log.close)
        (cls.folder / "cluster").mkdir()
        cls.cluster = cluster.Cluster(cls.folder / "cluster", nodes=4)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__)

    def setUp(self):
        self.project = self.folder / f"it's {self.id().rsplit('.', 1)[-1]}"
        (self.project / "the suites").mkdir(parents=True)
        self.suite = self.project / "the suites" / 'so "tiny".yaml'
        self.go = self.folder / "go"
        self.go.unlink(missing_ok=True)
        self.plant(3, WORKER)
        self.see(f"=== {self.id().rsplit('.', 1)[-1]}")

    def tearDown(self):
        for number, job in self.cluster.jobs().items():
            if job["state"] not in ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "PREEMPTED"):
                self.cluster.call("scancel", number)
        for node in self.cluster.nodes:
            if node not in self.cluster.daemons:
                self.cluster.start_node(node)
        self.cluster.wait_until(lambda: self.cluster.states() == {"idle"}, "all nodes are idle again")

    def see(self, text):
        print(f"{time.strftime('%H:%M:%S')} {text}", file=self.log, flush=True)

    def plant(self, rounds, worker, template=WORKER_OF_NODE):
        self.suite.write_text(SUITE % rounds, encoding="utf-8")
        (self.project / "plumbline.yaml").write_text(PROJECT.format(folder=self.project), encoding="utf-8")
        script = self.folder / "worker"
        script.write_text(template.format(folder=self.folder, project=self.project, worker=worker))
        script.chmod(0o755)

    def plumbline(self, *words, code=0):
        done = subprocess.run(
            [PROGRAM, *map(str, words)],
            cwd=self.project,
            env=self.cluster.environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def submit(self, *words, worker=True):
        """Returns the submission's folder and the ids of its array and its judge."""
        own = ["--worker", self.folder / "worker"] if worker else []
        folder = self.plumbline("submit", "slurm", self.suite.relative_to(self.project), *own, *words).strip()
        numbers = sorted({int(number.split("_")[0]) for number in self.cluster.jobs()})
        self.first = numbers[-2]
        return pathlib.Path(folder), numbers[-2], numbers[-1]

    def follow(self, holds, what, limit_s=60):
        """Waits, and notes each change in the queue."""
        last = None

        def look():
            nonlocal last
            jobs = self.cluster.jobs()
            shown = "  ".join(
                f"{number} {job['state']} {job['node']} {'' if job['reason'] == 'None' else job['reason']}".strip()
                for number, job in sorted(jobs.items())
                if int(number.split("_")[0]) >= self.first
            )
            if shown != last:
                self.see(shown)
                last = shown
            return holds(jobs)

        return self.cluster.wait_until(look, what, limit_s)

    def finish(self, folder, limit_s=90):
        """Waits for the verdict; returns its exit code."""
        self.follow(lambda _: (folder / "exit_code").exists(), "the submission is judged", limit_s)
        for log in sorted((folder / "logs").iterdir()):
            for line in log.read_text(errors="replace").splitlines():
                if line.startswith("20"):
                    self.see(f"{log.stem}: {line}")
        return int((folder / "exit_code").read_text())

    def visits(self, folder):
        """How often each case was visited in each round of the merged run."""
        with open(folder / "run/results.csv", newline="", encoding="utf-8") as file:
            rows = {(r["case"], r["round"], r["worker"], r["order"]) for r in csv.DictReader(file)}
        return collections.Counter((case, number) for case, number, _, _ in rows)

    def assert_measured_once(self, folder, rounds, cases=CASES):
        visits = self.visits(folder)
        self.assertEqual(set(visits.values()), {1}, visits)
        self.assertEqual(len(visits), rounds * cases)

    def devices(self, folder):
        return json.loads((folder / "run/run.json").read_text())["environment"]["device_uuid"]

    def tries(self, folder, task):
        return [line.split()[:3] for line in (folder / f"tries/{task}").read_text().splitlines()]

    def state_of(self, number):
        return self.cluster.jobs()[number]["state"]

    @unittest.skipUnless(can_unshare(), "unshare --mount is not permitted, so all nodes have one device")
    def test_an_array_over_four_nodes_is_one_run_with_one_verdict(self):
        folder, array, judge = self.submit("--array", "4", "--site", "site")
        self.assertEqual(self.finish(folder), 3)  # there is no baseline
        self.assert_measured_once(folder, rounds=3)
        self.assertEqual(len(self.devices(folder).split(",")), 4)
        self.assertTrue((folder / "run/report.html").exists())
        self.assertTrue((self.project / "site/index.html").exists())
        self.plumbline("accept", folder / "run", "--why", "first", "--even-so", "four nodes share a few cores")
        again, _, _ = self.submit("--array", "4")
        self.assertIn(self.finish(again), (0, 3))  # times of a busy machine: no verdict is planted
        verdicts = json.loads((again / "run/comparison.json").read_text())["findings"]
        self.assertEqual(len({finding["case"] for finding in verdicts}), CASES)

    def has_visits(self, folder, task, rows=3):
        path = folder / f"shards/{task}/results.csv"
        return path.exists() and path.read_bytes().count(b"\n") > rows

    def test_a_lost_node_costs_nothing_and_no_visit_is_made_twice(self):
        self.plant(8, WORKER)
        folder, array, _ = self.submit("--array", "2")
        for task in (1, 2):
            self.follow(lambda _: self.has_visits(folder, task), f"task {task} has measured something")
        dead, cut_off = (self.cluster.jobs()[f"{array}_{task}"]["node"] for task in (1, 2))
        self.addCleanup(self.cluster.signal_jobs, cut_off, signal.SIGCONT)
        self.cluster.signal_jobs(cut_off, signal.SIGSTOP)  # it is not done before its second try begins
        self.cluster.kill_node(dead, with_jobs=True)
        self.cluster.kill_node(cut_off, with_jobs=False)
        self.see(f"{dead} is killed; {cut_off} is cut off, and goes on measuring")
        for node in (dead, cut_off):  # Slurm finds it out by itself after half a minute
            self.cluster.call("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=lost")
        log = folder / "logs/task-2.log"
        self.follow(lambda _: "an earlier try still measures" in log.read_text(), "the second try of task 2 waits")
        self.cluster.signal_jobs(cut_off, signal.SIGCONT)
        self.finish(folder)
        self.assert_measured_once(folder, rounds=8)
        self.assertEqual([node for _, node, _ in self.tries(folder, 1)][0], dead)
        self.assertEqual(len(self.tries(folder, 1)), 2)
        self.assertNotEqual(self.tries(folder, 1)[1][1], dead)
        self.assertGreater(int(self.tries(folder, 1)[1][0]), 0)  # it went on
        self.assertEqual(len(self.tries(folder, 2)), 1)

    def test_a_preempted_task_goes_on_later(self):
        self.plant(3, FAKE_WORKER, FAKE_WORKER_OF_NODE)
        folder, array, _ = self.submit("--array", "2")
        self.follow(lambda _: self.has_visits(folder, 1), "task 1 has measured something")
        urgent = self.cluster.call(
            "sbatch", "--parsable", "--partition=urgent", "--nodes=4", "--exclusive", "--wrap=true",
            "--output=/dev/null", cwd=self.folder,
        ).strip()
        self.follow(lambda jobs: jobs[urgent]["state"] == "COMPLETED", "the urgent job had its turn")
        self.go.touch()
        self.finish(folder)
        self.assert_measured_once(folder, rounds=3)
        kinds = [kind for _, _, kind in self.tries(folder, 1)]
        self.assertEqual(kinds, ["begun", "preempted", "begun"])

    def test_a_task_that_reaches_its_time_limit_goes_on_later(self):
        self.plant(3, FAKE_WORKER, FAKE_WORKER_OF_NODE)
        folder, array, _ = self.submit("--array", "1", "--time", "1", "--grace", "40")
        log = folder / "logs/task-1.log"
        self.follow(lambda _: log.exists() and "its time is nearly over" in log.read_text(), "the signal came")
        self.go.touch()
        self.finish(folder)
        self.assert_measured_once(folder, rounds=3)
        self.assertEqual([kind for _, _, kind in self.tries(folder, 1)], ["begun", "begun"])

    def test_what_fails_for_ever_is_given_up_and_named(self):
        """Node n4 is bad, and so is the second shard on any node."""
        bad = 'if [[ ! -e {folder}/repaired ]] && [[ $SLURMD_NODENAME == n4 || $SLURM_ARRAY_TASK_ID == 2 ]]; then exit 9; fi\n'
        self.plant(3, FAKE_WORKER, FAKE_WORKER_OF_NODE.replace("export", bad + "export", 1))
        self.go.touch()
        folder, array, judge = self.submit("--array", "4", "--tries", "3")
        self.assertEqual(self.finish(folder), 3)
        self.assert_measured_once(folder, rounds=3, cases=CASES - len(self.cases_of(folder, 2)))
        tries = [node for _, node, kind in self.tries(folder, 2)]
        self.assertEqual(len(tries), 3)
        self.assertEqual(len(set(tries)), 3, "each try on another node")
        self.assertEqual(self.state_of(f"{array}_2"), "FAILED")
        log = (folder / "logs/judge.log").read_text()
        self.assertIn("missing: task 2 did not finish its shard", log)
        self.assertIn("given up: 3 tries in a row", log)
        moved = [i for i in (1, 3, 4) if "n4" in [node for _, node, _ in self.tries(folder, i)]]
        for task in moved:
            self.assertNotEqual(self.tries(folder, task)[-1][1], "n4")
        # By hand, as the page says.
        (self.folder / "repaired").touch()
        (folder / "exit_code").unlink()
        number = self.cluster.call("sbatch", "--parsable", "--array=2", "task.sh", cwd=folder).strip()
        self.cluster.call("sbatch", f"--dependency=afterany:{number}", "judge.sh", cwd=folder)
        self.finish(folder)
        self.assert_measured_once(folder, rounds=3)

    def git(self, *words):
        who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", *who, *words], cwd=self.project, check=True, capture_output=True)

    def commit(self, slowdown):
        (self.project / "slowdown").write_text(slowdown)
        self.git("add", ".")
        self.git("commit", "-m", f"as slow as {slowdown}")

    def test_a_slowdown_is_confirmed_in_pairs_on_the_device_that_showed_it(self):
        self.plant(3, FAKE_WORKER)
        worker = self.project / "worker"
        worker.write_text(FAKE_WORKER_OF_SIDE.replace("{worker}", str(FAKE_WORKER)))
        worker.chmod(0o755)
        with open(self.project / "plumbline.yaml", "a", encoding="utf-8") as file:
            file.write("worker: worker\n")
        (self.project / ".gitignore").write_text("/runs/\n/baselines/\n/locks*\n")
        self.git("init", "-q")
        self.commit("1")
        first, _, _ = self.submit("--array", "2", worker=False)
        self.assertEqual(self.finish(first), 3)
        self.plumbline("accept", first / "run", "--why", "first")
        self.commit("1.25")
        folder, _, _ = self.submit("--array", "2", "--baseline-ref", "HEAD~1", worker=False)
        self.assertEqual(self.finish(folder), 1)
        comparison = json.loads((folder / "run/comparison.json").read_text())
        slower = [finding["case"] for finding in comparison["findings"] if finding["verdict"] == "SLOWER"]
        self.assertEqual(len(slower), CASES)
        with open(folder / "run/results.csv", newline="", encoding="utf-8") as file:
            measured_on = {row["case"]: row["device"] for row in csv.DictReader(file)}
        paired_on = {}
        for path in folder.glob("pairs/*/b/results.csv"):
            with open(path, newline="", encoding="utf-8") as file:
                paired_on |= {row["case"]: row["device"] for row in csv.DictReader(file)}
        self.assertEqual(paired_on, measured_on)
        self.assertEqual(len(set(measured_on.values())), 2)

    def cases_of(self, folder, task):
        """Cases that no other shard has measured."""
        return set(range(CASES)) - set(range(len({case for case, _ in self.visits(folder)})))


def main():
    why = cluster.missing()
    if why:
        print(f"skipped: {why}")
        return 77
    unittest.main(verbosity=2)


if __name__ == "__main__":
    sys.exit(main())
