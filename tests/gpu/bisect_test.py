#!/usr/bin/python3
"""`plumbline bisect` on a CUDA GPU: which of 16 commits made a user's kernel some 5 % slower, by how much, and what it
changed in the kernel's registers and machine code.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), git and Python; ends with 77 and the reason if there is no GPU.
Instructions are looked at where there is nvdisasm.
"""

import json
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

# 2,000 multiplications take nearly all of its time. Its result is 2 x.
KERNEL = """
extern "C" __global__ void scaled(const float* x, float* y, int n, float one, float zero) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
#pragma unroll 20
  for (int k = 0; k < 2000; ++k) sum = sum * one;
  // MORE
  y[i] = 2 * sum;
}
"""
# 100 FFMA, and registers for ten numbers.
MORE = """float more[10];
#pragma unroll
  for (int j = 0; j < 10; ++j) more[j] = sum;
#pragma unroll
  for (int k = 0; k < 9; ++k)
#pragma unroll
    for (int j = 0; j < 10; ++j) more[j] = more[j] * zero + j;
#pragma unroll
  for (int j = 0; j < 10; ++j) sum += more[j] * zero;
"""
SUITE = """suite: scaled
measure: {metrics: [kernel_time], cache: [hot], rounds: 2, timeout_s: 100}
benchmarks:
  - op: kernel
    name: scaled
    source: scaled.cu
    entry: scaled
    args: {x: 'uniform[n]', y: {output: [n]}, n: {int32: n}, one: {float32: 1}, zero: {float32: 0}}
    launch: {grid: 'ceil_div(n, 256)', block: 256}
    reference: 'aten::mul(x, 2)'
    sweep: {n: [4000000], dtype: [float32]}
"""
CASE = "scaled/custom/dtype=float32/n=4000000"
COMMITS, GUILTY = 16, 10  # the first is 0
BAR_S = 150  # of the whole search, on an H200
ONE_POINT = 0.01


class Bisect(planted.Planted):
    device = "cuda:0"

    def setUp(self):
        super().setUp()
        self.repository = self.folder / "repository"
        self.repository.mkdir()
        self.git("init", "-q", "--initial-branch=main")
        (self.repository / "scaled.yaml").write_text(SUITE, encoding="utf-8")
        self.commits = [self.commit(number) for number in range(COMMITS)]

    def git(self, *words):
        who = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        done = subprocess.run(["git", *who, *words], cwd=self.repository, check=True, capture_output=True, encoding="utf-8")
        return done.stdout.strip()

    def commit(self, number):
        """Every commit changes the source; the compiler sees one of the changes. The commit's hash."""
        kernel = KERNEL.replace("// MORE", MORE) if number >= GUILTY else KERNEL
        (self.repository / "scaled.cu").write_text(f"// Commit {number}\n{kernel}", encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", f"commit {number}")
        return self.git("rev-parse", "HEAD")

    def bisect(self, *more):
        words = ("bisect", self.commits[0], "main", "--case", CASE, "scaled.yaml", "--device", self.device,
                 "-o", self.folder / "search", *more)  # fmt: skip
        return self.expect(0, self.plumbline(*words, cwd=self.repository, timeout=2 * BAR_S))

    def time_of(self, number):
        """Of that commit's kernel in a run of its own, in seconds."""
        self.git("checkout", "-q", self.commits[number])
        run = self.folder / f"run-{number}"
        words = ("run", "scaled.yaml", "--device", self.device, "-o", run)
        self.expect(0, self.plumbline(*words, cwd=self.repository))
        return statistics.median(planted.median_of(row) for row in planted.read_rows(run) if row["metric"] == "kernel_time_hot")

    def assert_code_is_told(self, said, comparison):
        [change] = comparison["code_changes"]
        self.assertEqual(change["kernel"], "scaled")
        if "nvdisasm" in change["unknown"]:
            print(f"instructions are not known: {change['unknown']}", flush=True)
            return
        self.assertIn(f"machine code: scaled: {change['before']['instructions']} → {change['after']['instructions']} instructions",
                      said)  # fmt: skip
        self.assertIn("FFMA", said)
        more = {count["opcode"]: count["after"] - count["before"] for count in change["mix"]}
        self.assertGreaterEqual(more["FFMA"], 90, more)

    def test_the_commit_its_size_and_what_it_changed_in_the_kernel(self):
        begin = time.monotonic()
        said = self.bisect().stdout
        took = time.monotonic() - begin
        print(f"{took:.1f} s\n{said}", flush=True)
        self.assertIn(f"found: {self.commits[GUILTY][:12]} commit {GUILTY}\n", said)
        self.assertIn("scaled.cu", said)
        self.assertRegex(said, r"registers of a thread \d+ → \d+")
        [search] = json.loads(self.bisect("--resume", "--json").stdout)["searches"]  # measures nothing again
        self.assertEqual((search["kind"], search["found"]), ("one_step", [self.commits[GUILTY]]))
        comparison = json.loads((pathlib.Path(search["step"]) / "comparison.json").read_text(encoding="utf-8"))
        self.assert_code_is_told(said, comparison)
        truth = self.time_of(GUILTY) / self.time_of(GUILTY - 1) - 1
        print(f"two runs: {truth:+.4f}; the search: {search['own']}", flush=True)
        self.assertAlmostEqual(search["own"]["estimate"], truth, delta=ONE_POINT)
        self.assertGreater(search["own"]["low"], 0.03)
        self.assertLessEqual(took, BAR_S)


if __name__ == "__main__":
    planted.main_on_gpu()
