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

KERNEL = """
extern "C" __global__ void scaled(const float* x, float* y, int n, float one) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int k = 0; k < STEPS; ++k) sum = sum * one;
  y[i] = 2 * sum;
}
"""
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

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.repository = cls.class_folder / "repository"
        cls.repository.mkdir()
        for name, text in suites().items():
            (cls.repository / f"{name}.yaml").write_text(text, encoding="utf-8")
        (cls.repository / "plumbline.yaml").write_text("suites: [one.yaml, ten.yaml, quick.yaml]\n", encoding="utf-8")
        (cls.repository / ".gitignore").write_text("/runs/\n", encoding="utf-8")
        cls.git("init", "-q")
        cls.commit(STEPS)
        for name in BARS_S:
            run = cls.class_folder / name
            begin = time.monotonic()
            words = ["run", f"{name}.yaml", "--device", "cuda", "--cache", "cold", "-o", run]
            cls.expect(0, cls.plumbline(*words, cwd=cls.repository))
            cls.expect(0, cls.plumbline("accept", run, "--author", "a test", "--why", "first", cwd=cls.repository))
            print(f"{name}: run {time.monotonic() - begin:.1f} s", flush=True)
        cls.git("add", "-A")
        cls.git("commit", "-q", "-m", "baselines")
        cls.commit(int(STEPS * SLOWER))

    @classmethod
    def git(cls, *words):
        who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        subprocess.run(["git", *who, *words], cwd=cls.repository, check=True, capture_output=True)

    @classmethod
    def commit(cls, steps):
        (cls.repository / "scaled.cu").write_text(KERNEL.replace("STEPS", str(steps)), encoding="utf-8")
        cls.git("add", ".")
        cls.git("commit", "-q", "-m", f"{steps} steps")

    def checked(self, name, changed):
        output = self.folder / "check"
        begin = time.monotonic()
        words = ["check", f"{name}.yaml", "--baseline-ref", "HEAD~1", "--device", "cuda", "--cache", "cold", "-o", output]
        done = self.plumbline(*words, cwd=self.repository)
        seconds = time.monotonic() - begin
        print(f"{name}: check {seconds:.1f} s\n{done.stdout}{done.stderr}", flush=True)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        [comparison] = output.rglob("comparison.json")
        slower = {f["case"] for f in json.loads(comparison.read_text())["findings"] if f["verdict"] == "SLOWER"}
        self.assertEqual({case.partition("/")[0] for case in slower}, {"scaled"})
        self.assertEqual(len(slower), changed)
        self.assertLessEqual(seconds, BARS_S[name])

    def test_one_changed_case(self):
        self.checked("one", 1)

    def test_ten_changed_cases(self):
        self.checked("ten", 10)

    def test_one_changed_case_beside_forty(self):
        self.checked("quick", 1)


if __name__ == "__main__":
    planted.main_on_gpu()
