#!/usr/bin/python3
"""How long `check` takes until a changed kernel of a user's repository is confirmed on a GPU: one case, ten cases, and
one beside the forty of `suites/quick.yaml`.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/ and git; ends with 77 and the reason if there is no GPU.
"""

import json
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SCALED = """
  - op: kernel
    name: scaled
    source: scaled.cu
    entry: scaled
    args: {{x: 'uniform[n]', y: {{output: [n]}}, n: {{int32: n}}, one: {{float32: 1}}}}
    launch: {{grid: 'ceil_div(n, 256)', block: 256}}
    reference: 'aten::mul(x, 2)'
    sweep: {{n: {sizes}, dtype: [float32]}}
"""
STEPS, SLOWER = 2000, 1.1
ONE, TEN = [4_000_000], [4_000_000 + 100_000 * i for i in range(10)]
BARS_S = {"one": 20, "ten": 40, "quick": 60}  # of the whole command, on an H200
QUICK = planted.ROOT / "suites" / "quick.yaml"


def suites():
    own = {name: f"suite: {name}\nbenchmarks:{SCALED.format(sizes=sizes)}" for name, sizes in (("one", ONE), ("ten", TEN))}
    return own | {"quick": QUICK.read_text(encoding="utf-8") + SCALED.format(sizes=ONE)}


class Check(planted.Planted):
    device = "cuda"

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        for name, text in suites().items():
            (self.repository / f"{name}.yaml").write_text(text, encoding="utf-8")
        (self.repository / "plumbline.yaml").write_text("suites: [one.yaml, ten.yaml, quick.yaml]\n", encoding="utf-8")
        (self.repository / ".gitignore").write_text("/runs/\n", encoding="utf-8")
        self.git("init", "-q")

    def git(self, *words):
        who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", *who, *words], cwd=self.repository, check=True, capture_output=True)

    def commit(self, steps):
        (self.repository / "scaled.cu").write_text(planted.SCALED_KERNEL.replace("STEPS", str(steps)), encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"{steps} steps")

    def timed(self, *words):
        """A command in the repository: what it did, and its seconds."""
        begin = time.monotonic()
        done = self.plumbline(*words, cwd=self.repository)
        return done, time.monotonic() - begin

    def check(self, name, changed, *metrics):
        """Accepts a suite's run, makes the kernel slower, and checks the suite."""
        self.commit(STEPS)
        how = [f"{name}.yaml", "--device", "cuda", "--cache", "cold", *metrics]
        run, seconds = self.timed("run", *how, "-o", self.folder / "run")
        self.expect(0, run)
        self.expect(0, self.timed("accept", self.folder / "run", "--author", "a test", "--why", "first")[0])
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "a baseline")
        self.commit(int(STEPS * SLOWER))
        output = self.folder / "check"
        done, took = self.timed("check", *how, "--baseline-ref", "HEAD~1", "-o", output)
        print(f"{name} {' '.join(metrics)}: run {seconds:.1f} s, check {took:.1f} s\n{done.stdout}{done.stderr}", flush=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        [comparison] = output.rglob("comparison.json")
        slower = {f["case"] for f in json.loads(comparison.read_text())["findings"] if f["verdict"] == "SLOWER"}
        self.assertEqual({case.partition("/")[0] for case in slower}, {"scaled"})
        self.assertEqual(len(slower), changed)
        self.assertLessEqual(took, BARS_S[name])

    def test_one_changed_case(self):
        self.check("one", 1)

    def test_one_changed_case_by_events_alone(self):
        self.check("one", 1, "--metrics", "gpu_time")

    def test_ten_changed_cases(self):
        self.check("ten", 10)

    def test_ten_changed_cases_by_events_alone(self):
        self.check("ten", 10, "--metrics", "gpu_time")

    def test_one_changed_case_beside_forty(self):
        self.check("quick", 1)

    def test_one_changed_case_beside_forty_by_events_alone(self):
        self.check("quick", 1, "--metrics", "gpu_time")


if __name__ == "__main__":
    planted.main_on_gpu()
