#!/usr/bin/env python3
"""`plumbline attach` on programs that this tree does not contain: a CUDA program that nvcc builds here, and one in Python
with torch and Triton. The same program is the same, a planted slowdown of one kernel is found and nothing else, a
program that is killed leaves what it did, and being attached costs little.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), nvcc, and a Python with torch, which runs this; ends with 77 and
the reason if there is no GPU.
"""

import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

NVCC = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
MOST_COST_US = 3  # that a launch takes longer if it is recorded

# Three kernels in turn, each some 20 to 100 µs long. The names of those in the anonymous namespace depend on the name of
# the file. KILL: after some work the program ends by SIGKILL.
SOURCE = r"""
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>

#ifndef TURNS
#define TURNS 20000
#endif

namespace {
__global__ void burn(float* x, int turns) {
  float v = x[threadIdx.x];
  for (int k = 0; k < turns; ++k) v = v * 1.0001f + 0.5f;
  x[threadIdx.x + blockIdx.x * blockDim.x] = v;
}
__global__ void scale(float* x, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] *= factor;
}
}  // namespace
template <class T>
__global__ void add(T* a, const T* b, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] += b[i];
}
__global__ void tiny(float* x) { x[0] += 1; }

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 300, n = 1 << 22;
  float *a, *b;
  if (cudaMalloc(&a, n * sizeof(float)) != cudaSuccess || cudaMalloc(&b, n * sizeof(float)) != cudaSuccess) return 9;
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  const auto step = [&] {
    nvtxRangePushA("step");
    burn<<<256, 128>>>(a, TURNS);
    scale<<<264, 256>>>(a, 0.5f, n);
    add<<<n / 256, 256>>>(a, b, n);
    cudaDeviceSynchronize();
    nvtxRangePop();
  };
  for (int i = 0; i < steps; ++i) step();
#ifdef KILL
  for (const auto start = std::chrono::steady_clock::now(); ms_since(start) < 500;) step();
  std::raise(SIGKILL);
#endif
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 600; ++i) tiny<<<1, 32>>>(a);
  const double queued_ms = ms_since(start);
  cudaDeviceSynchronize();
  std::printf("600 launches: %.3f ms queued, %.3f ms done\n", queued_ms, ms_since(start));
  return cudaGetLastError() == cudaSuccess ? 0 : 8;
}
"""

PYTHON = r"""
import sys
import torch, triton
import triton.language as tl

@triton.jit
def scale_rows(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)

x = torch.randn(1 << 22, device="cuda")
y = torch.empty_like(x)
a = torch.randn(1024, 1024, device="cuda", dtype=torch.float16)
fused = torch.compile(lambda v: torch.relu(v) + 1) if "compile" in sys.argv else None
for _ in range(50):
    with torch.cuda.nvtx.range("product"):
        a @ a
    scale_rows[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)
    if fused:
        fused(x)
    torch.cuda.synchronize()
if "profile" in sys.argv:
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        a @ a
        torch.cuda.synchronize()
    print("events of torch.profiler:", len(profile.events()))
"""


def cupti_of_torch():
    """The variable that names the libcupti of this Python, for programs that bring none."""
    files = [str(file) for file in pathlib.Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/cu13/lib/libcupti.so.13")]
    return {"PLUMBLINE_ATTACH_CUPTI": files[0]} if files else {}


class Attach(planted.Planted):
    device = "cuda"

    @classmethod
    def environment(cls, **more):
        return super().environment(**cupti_of_torch(), **more)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = {
            "app": cls.build("app.cu", "app"),
            "again": cls.build("renamed.cu", "again/app"),
            "slow": cls.build("slow.cu", "slow/app", "-DTURNS=26000"),
            "killed": cls.build("app.cu", "killed/app", "-DKILL"),
        }

    @classmethod
    def build(cls, source, program, *flags):
        path, out = cls.class_folder / source, cls.class_folder / program
        path.write_text(SOURCE)
        out.parent.mkdir(exist_ok=True)
        include = pathlib.Path(NVCC).resolve().parents[1] / "include"
        words = [NVCC, "-arch=native", "-O2", f"-I{include}", *flags, str(path), "-o", str(out), "-ldl"]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
        return out

    def attach(self, name, words, *flags, code=0, timeout=planted.LIMIT_S, **variables):
        run = self.folder / name
        done = self.plumbline("attach", "-o", run, *flags, "--", *words, timeout=timeout, **variables)
        print(f"\n== attach {name}: {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
        self.expect(code, done)
        return run, done

    def verdicts_of(self, file):
        """{(case, metric): finding} of a comparison.json; prints it."""
        findings = json.loads(file.read_text())["findings"]
        for f in findings:
            print(f"{f['verdict']:13} {f['metric']:22} {f.get('change')!s:24} {f['case']} {f.get('reason', '')}", flush=True)
        return {(f["case"], f["metric"]): f["verdict"] for f in findings}

    def compare(self, base, candidate, *flags, codes):
        file = self.folder / f"{base.name}-{candidate.name}.json"
        done = self.plumbline("compare", base, candidate, "-o", file, *flags)
        print(f"\n== compare {base.name} {candidate.name}: {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
        self.assertIn(done.returncode, codes)
        return self.verdicts_of(file)

    def kernels(self, verdicts, verdict):
        return {case.split("/")[0] for (case, metric), found in verdicts.items()
                if metric == "kernel_time_attached" and found == verdict}  # fmt: skip

    def test_a_program_is_the_same_and_a_slower_kernel_is_found_alone(self):
        base, _ = self.attach("base", [self.programs["app"]], "--visits", "5")
        again, _ = self.attach("again", [self.programs["again"]], "--visits", "5")
        slow, _ = self.attach("slow", [self.programs["slow"]], "--visits", "5")
        names = {row["case"].split("/")[0] for row in planted.read_rows(base)}
        self.assertTrue({"(anonymous%20namespace)::burn(float*%2C%20int)", "add<float>", "step", "app"} <= names, names)
        same = self.compare(base, again, "--trust-screen", codes=(0, 3))
        self.assertEqual(self.kernels(same, "SLOWER") | self.kernels(same, "FASTER"), set())
        self.assertTrue(any("burn" in name for name in self.kernels(same, "SAME")), same)
        found = self.compare(base, slow, "--trust-screen", codes=(1,))
        self.assertEqual(self.kernels(found, "SLOWER"), {"(anonymous%20namespace)::burn(float*%2C%20int)"})

    def test_pairs_of_two_programs_decide(self):
        words = ("--looks", "6", "--name", "app")
        for name, codes in (("again", (0, 3)), ("slow", (1,))):
            out = self.folder / f"pairs-{name}"
            done = self.plumbline("attach", "--a", f"{self.programs['app']} 100", *words, "-o", out, "--",
                                  self.programs[name], "100")  # fmt: skip
            print(f"\n== pairs with {name}: {done.returncode}\n{done.stdout}{done.stderr}", flush=True)
            self.assertIn(done.returncode, codes)
            slower = self.kernels(self.verdicts_of(out / "comparison.json"), "SLOWER")
            self.assertEqual(slower, {"(anonymous%20namespace)::burn(float*%2C%20int)"} if name == "slow" else set())

    def test_a_killed_program_leaves_what_it_did(self):
        run, done = self.attach("killed", [self.programs["killed"], "20"], code=137)
        self.assertIn("ended without exit()", done.stderr)
        launches = [row for row in planted.read_rows(run) if row["metric"] == "launches" and "burn" in row["case"]]
        self.assertGreater(float(launches[0]["samples"]), 20)
        program = next(row for row in planted.read_rows(run) if row["case"] == "app/program")
        self.assertEqual(program["status"], "CRASHED")

    def test_python_with_torch_and_triton(self):
        script = self.plant("train.py", PYTHON)
        run, _ = self.attach("python", [sys.executable, script, "compile"], "--visits", "2", timeout=550)
        names = {row["case"].split("/")[0] for row in planted.read_rows(run)}
        self.assertTrue({"scale_rows", "product", "train"} <= names, names)
        self.assertTrue(any(name.startswith("triton_poi_fused") and not name[-1].isdigit() for name in names), names)
        launches = [row for row in planted.read_rows(run) if row["metric"] == "launches" and row["case"].startswith("scale_rows/")]
        self.assertEqual([float(row["samples"]) for row in launches], [50, 50])
        info = json.loads((run / "run.json").read_text())
        print(json.dumps(info["environment"], indent=1))

    def test_a_program_that_profiles_itself_is_told_and_recorded(self):
        script = self.plant("profiled.py", PYTHON)
        run, _ = self.attach("profiled", [sys.executable, script, "profile"], "--visits", "1")
        launches = [row for row in planted.read_rows(run) if row["metric"] == "launches" and row["case"].startswith("scale_rows/")]
        self.assertEqual([float(row["samples"]) for row in launches], [50])

    def test_no_kernel_is_an_error_that_helps(self):
        _, done = self.attach("nothing", ["/bin/true"], code=2)
        self.assertIn("CUDA did not start in the program", done.stderr)
        self.attach("failed", [self.programs["app"], "5"], "--visits", "1", code=9, CUDA_VISIBLE_DEVICES="")

    def test_being_attached_costs_little(self):
        pattern = re.compile(r"600 launches: ([\d.]+) ms queued, ([\d.]+) ms done")
        plain, attached = [], []
        for _ in range(5):
            done = subprocess.run([self.programs["app"], "20"], capture_output=True, text=True, env=dict(os.environ))
            plain.append(tuple(map(float, pattern.search(done.stdout).groups())))
        _, done = self.attach("cost", [self.programs["app"], "20"], "--visits", "5")
        attached = [tuple(map(float, found)) for found in pattern.findall(done.stdout)]
        print(f"600 launches, ms (queued, done): plain {plain}, attached {attached}")
        before, after = (statistics.median(done for _, done in times) for times in (plain, attached))
        cost_us = 1000 * (after - before) / 600
        print(f"medians: {before:.3f} ms plain, {after:.3f} ms attached: {cost_us:.2f} µs a launch")
        self.assertLess(cost_us, MOST_COST_US)


if __name__ == "__main__":
    if NVCC is None:
        print("nvcc is not installed")
        sys.exit(planted.SKIPPED)
    planted.main_on_gpu()
