#!/usr/bin/python3
"""Two GPUs as two nodes of a real Slurm: an array of a user's repository, whose kernel then gets slower.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), two GPUs, and Slurm (see ../slurm/cluster.py); ends with 77 and
the reason without them.
"""

import csv
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "slurm")]

import cluster  # noqa: E402
import planted  # noqa: E402

LIMIT_S = 240
SUITE = """
suite: mine
measure: {cache: [hot], rounds: 3}
benchmarks:
  - op: kernel
    name: scaled
    source: scaled.cu
    entry: scaled
    args: {x: 'uniform[n]', y: {output: [n]}, n: {int32: n}, one: {float32: 1}}
    launch: {grid: 'ceil_div(n, 256)', block: 256}
    reference: 'aten::mul(x, 2)'
    sweep: {n: [1000000, 2000000, 4000000, 8000000], dtype: [float32]}
  - {op: softmax, backend: [libtorch], sweep: {rows: [1024, 4096], cols: [1024, 4096], dtype: [float32]}}
"""
CASES = 8
PROJECT = """
slurm:
  partition: batch
  gres: gpu:1
"""


class TwoNodes(planted.Planted):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.class_folder / "cluster").mkdir()
        cls.slurm = cluster.Cluster(cls.class_folder / "cluster", nodes=2, has_gpus=True)
        cls.enterClassContext(cls.slurm)

    def setUp(self):
        super().setUp()
        self.project = self.folder / "project"
        self.project.mkdir()
        for name, text in (("suite.yaml", SUITE), ("plumbline.yaml", PROJECT), (".gitignore", "/runs/\n/baselines/\n")):
            (self.project / name).write_text(text, encoding="utf-8")
        self.git("init", "-q")

    def git(self, *words):
        who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", *who, *words], cwd=self.project, check=True, capture_output=True)

    def commit(self, steps):
        text = planted.SCALED_KERNEL.replace("STEPS", str(steps))
        (self.project / "scaled.cu").write_text(text, encoding="utf-8")
        self.git("add", ".")
        self.git("commit", "-m", f"{steps} steps")

    def submitted(self, *words):
        """Submits an array of two tasks, and waits for its verdict: its folder, and the exit code."""
        environment = self.slurm.environment | {"PLUMBLINE_LOCKS": str(self.class_folder / "locks")}
        done = subprocess.run(
            [planted.BIN / "plumbline", "submit", "slurm", "suite.yaml", "--array", "2", *words],
            cwd=self.project, env=environment, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        folder, begin = pathlib.Path(done.stdout.strip()), time.monotonic()
        self.slurm.wait_until((folder / "exit_code").exists, "the submission is judged", LIMIT_S)
        print(f"{' '.join(words)}: {time.monotonic() - begin:.0f} s")
        return folder, int((folder / "exit_code").read_text())

    def devices_of(self, path):
        with open(path, newline="", encoding="utf-8") as file:
            return {row["case"]: row["device"] for row in csv.DictReader(file)}

    def test_a_kernel_that_got_slower_is_confirmed_on_the_gpu_that_measured_it(self):
        self.commit(40)
        first, code = self.submitted()
        self.assertEqual(code, 3, (first / "logs/judge.log").read_text())  # there is no baseline
        measured_on = self.devices_of(first / "run/results.csv")
        self.assertEqual((len(measured_on), len(set(measured_on.values()))), (CASES, 2))
        self.expect(0, self.plumbline("accept", first / "run", "--why", "first", cwd=self.project))
        again, code = self.submitted("--baseline-ref", "HEAD")
        self.assertEqual(code, 0, (again / "logs/judge.log").read_text())
        self.commit(80)
        slower, code = self.submitted("--baseline-ref", "HEAD~1")
        self.assertEqual(code, 1, (slower / "logs/judge.log").read_text())
        findings = json.loads((slower / "run/comparison.json").read_text(encoding="utf-8"))["findings"]
        called = {finding["case"] for finding in findings if finding["verdict"] == "SLOWER"}
        self.assertEqual({case.split("/")[0] for case in called}, {"scaled"}, findings)
        print({finding["case"]: (finding["verdict"], finding["change"]) for finding in findings})
        paired_on = {}
        for path in slower.glob("pairs/*/b/results.csv"):
            paired_on |= self.devices_of(path)
        measured_on = self.devices_of(slower / "run/results.csv")
        self.assertTrue(called <= set(paired_on), paired_on)
        self.assertEqual({case: measured_on[case] for case in paired_on}, paired_on)


if __name__ == "__main__":
    why = cluster.missing()
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    planted.main_on_gpu(2)
