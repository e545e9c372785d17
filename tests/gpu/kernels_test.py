#!/usr/bin/python3
"""Kernels that suites declare on a CUDA GPU: right, wrong, tuned by an axis, refused; plug-ins on
its streams.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and
the reason where there is no GPU.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

SHIPPED = planted.ROOT / "suites" / "kernels.yaml"
EXAMPLE = planted.ROOT / "tests" / "support" / "plugin_example"
HEADER = planted.ROOT / "harness" / "backends" / "plugin" / "plumbline_plugin.h"
MEASURE = (
    "metrics: [gpu_time, kernel_time], cache: [hot], rounds: 1, warmup_s: 0.002, timeout_s: 100"
)
WITH_SHARED = "{grid: 'ceil_div(n, block)', block: block, shared: 4 * block}"

SOURCE = """
// y = 2 * x through dynamic shared memory
extern "C" __global__ void doubled(const float* x, float* y, int n) {
  extern __shared__ float tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = x[i];
  y[i] = 2 * tile[threadIdx.x];
}
// one element in a thousand is off
extern "C" __global__ void wrong(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = i % 1000 == 999 ? x[i] : 2 * x[i];
}
// leaves the end of its output alone
extern "C" __global__ void unfinished(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 7) y[i] = 2 * x[i];
}
// at most 256 threads a block
extern "C" __global__ void __launch_bounds__(256) bounded(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
extern "C" __global__ void astray(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i + (1ll << 40)] = 2 * x[i];
}
// adds each block's sum: what is there before matters
extern "C" __global__ void accumulate(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(y, x[i]);
}
"""
# Line 7 has an instruction that does not exist.
MISSPELT = """.version 8.0
.target sm_80
.address_size 64
.visible .entry misspelt(.param .u64 x, .param .u64 y, .param .u32 n)
{
  .reg .b32 %r<3>;
  add.u31 %r1, %r2, %r2;
  ret;
}
"""


def benchmark(entry, **keys):
    known = {
        "op": "kernel",
        "name": entry,
        "source": "planted.cu",
        "entry": entry,
        "launch": "{grid: 'ceil_div(n, block)', block: block}",
        "args": "{x: 'uniform[n]', y: {output: [n]}, n: {int32: n}}",
        "reference": "'aten::mul(x, 2)'",
        "sweep": "{n: [1000000], block: [128], dtype: [float32]}",
        **keys,
    }
    return "  - {" + ", ".join(f"{key}: {value}" for key, value in known.items()) + "}\n"


class Kernels(planted.Planted):
    device = "cuda"

    def rows(self, *benchmarks, code=0):
        """All rows of a run of planted kernels."""
        self.plant("planted.cu", SOURCE)
        suite = self.plant("planted.yaml", planted.suite_text("planted", benchmarks, MEASURE))
        return planted.read_rows(self.measured(suite, "run", code=code))

    def only(self, *benchmarks, code=2):
        """Status and reason of the single case, which has no time."""
        [found] = {(row["status"], row["reason"]) for row in self.rows(*benchmarks, code=code)}
        return found


class Verification(Kernels):
    def test_a_right_kernel_is_measured_by_both_timers(self):
        rows = self.rows(benchmark("doubled", launch=WITH_SHARED))
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        metrics = {row["metric"] for row in rows}
        self.assertLessEqual({"gpu_time_hot", "kernel_time_hot"}, metrics)
        self.assertEqual({row["backend"] for row in rows}, {"custom"})

    def test_a_wrong_kernel_is_wrong_and_has_no_time(self):
        status, reason = self.only(benchmark("wrong"))
        self.assertEqual(status, "WRONG")
        self.assertIn("1000 of 1000000 elements are off", reason)

    def test_a_kernel_that_leaves_outputs_alone_is_wrong(self):
        status, reason = self.only(benchmark("unfinished"))
        self.assertEqual(status, "WRONG")
        self.assertIn("7 of 1000000 elements are off", reason)

    def test_a_kernel_that_writes_elsewhere_crashes_its_case_alone(self):
        rows = self.rows(benchmark("astray"), benchmark("bounded"), code=1)
        statuses = {row["op"]: row["status"] for row in rows}
        self.assertEqual(statuses, {"astray": "CRASHED", "bounded": "OK"})

    def test_what_a_kernel_changes_is_filled_afresh_before_it_is_checked(self):
        changed = benchmark(
            "accumulate",
            args="{x: 'uniform[n]', y: {inout: 'ones[1]'}, n: {int32: n}}",
            reference="'aten::add(y, aten::sum(x))'",
            sweep="{n: [1000], block: [128], dtype: [float32]}",
            tolerance="1e-4",
        )
        self.assertEqual({row["status"] for row in self.rows(changed)}, {"OK"})


class Launches(Kernels):
    def test_the_block_is_an_axis_and_each_has_its_occupancy(self):
        # 1536 threads in blocks of 768, 2048 in blocks of 256: a multiprocessor holds 2048.
        sweep = "{n: [1000000], block: [256, 768], dtype: [float32]}"
        rows = self.rows(benchmark("doubled", sweep=sweep, launch=WITH_SHARED))
        found = {}
        for row in rows:
            if row["kernels"]:
                [kernel] = json.loads(row["kernels"])
                found[kernel["block"][0]] = kernel
        self.assertEqual(set(found), {256, 768})
        for block, kernel in found.items():
            self.assertEqual(kernel["name"], "doubled")
            self.assertEqual(kernel["grid"], [-(-1000000 // block), 1, 1])
            self.assertEqual(kernel["shared_dynamic"], 4 * block)
            self.assertGreater(kernel["registers"], 0)
        self.assertEqual((found[256]["occupancy"], found[768]["occupancy"]), (1, 0.75))

    def test_more_than_48_kib_of_shared_memory_is_had_without_asking(self):
        large = benchmark("doubled", launch=WITH_SHARED.replace("4 * block", "150 * 1024"))
        self.assertEqual({row["status"] for row in self.rows(large)}, {"OK"})

    def test_a_launch_that_the_device_cannot_do_is_refused_with_the_numbers(self):
        refused = {
            "threads": ("{grid: 1, block: 2048}", ["the block is 2048 in x", "1024"]),
            "depth": ("{grid: 1, block: [1, 1, 65]}", ["65 in z", "64"]),
            "height": ("{grid: [1, 65536], block: 1}", ["65536 in y", "65535"]),
            "shared": ("{grid: 1, block: 32, shared: 1024 * 1024}", ["1048576 bytes of shared"]),
        }
        cases = [benchmark("doubled", name=name, launch=row[0]) for name, row in refused.items()]
        rows = {row["op"]: row for row in self.rows(*cases, benchmark("bounded"))}
        for name, (_, texts) in refused.items():
            with self.subTest(name):
                self.assertEqual(rows[name]["status"], "UNSUPPORTED")
                for text in texts:
                    self.assertIn(text, rows[name]["reason"])

    def test_a_block_beyond_the_kernels_own_bounds_is_refused(self):
        sweep = "{n: [1000000], block: [256, 512], dtype: [float32]}"
        rows = self.rows(benchmark("bounded", sweep=sweep))
        found = {row["case"].split("block=")[1][:3]: row for row in rows}
        self.assertEqual((found["256"]["status"], found["512"]["status"]), ("OK", "UNSUPPORTED"))
        self.assertIn("this kernel takes 256", found["512"]["reason"])

    def test_a_declaration_that_does_not_fit_is_never_launched(self):
        args = "{x: 'uniform[n]', y: {output: [n]}, n: {int64: n}}"
        status, reason = self.only(benchmark("doubled", args=args))
        self.assertEqual(status, "CRASHED")
        self.assertIn("parameter 3 of the kernel is an integer", reason)


class Binaries(Kernels):
    def test_a_cubin_and_its_ptx_are_launched_and_their_parameters_checked(self):
        nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        if not pathlib.Path(nvcc).is_file():
            self.skipTest("there is no nvcc")
        source = self.plant("planted.cu", SOURCE)
        for form in ("cubin", "ptx"):
            with self.subTest(form):
                arch = "native" if form == "cubin" else "compute_80"
                binary = f"planted.{form}"
                subprocess.run(
                    [nvcc, f"-{form}", f"-arch={arch}", "-o", self.folder / binary, source],
                    check=True,
                )
                args = "{x: 'uniform[n]', y: {output: [n]}}"
                both = [
                    benchmark("bounded", source=binary),
                    benchmark("bounded", name="short", source=binary, args=args),
                ]
                suite = self.plant(f"{form}.yaml", planted.suite_text(form, both, MEASURE))
                rows = planted.read_rows(self.measured(suite, form, code=1))
                found = {row["op"]: (row["status"], row["reason"]) for row in rows}
                self.assertEqual(found["bounded"], ("OK", ""))
                self.assertEqual(found["short"][0], "CRASHED")
                self.assertIn("the kernel has 3 parameters", found["short"][1])

    def test_ptx_that_is_not_assembled_is_shown_with_its_line_and_costs_no_other_case(self):
        self.plant("misspelt.ptx", MISSPELT)
        rows = self.rows(benchmark("misspelt", source="misspelt.ptx"), benchmark("bounded"), code=1)
        found = {row["op"]: (row["status"], row["reason"]) for row in rows}
        self.assertEqual(found["bounded"], ("OK", ""))
        self.assertEqual(found["misspelt"][0], "CRASHED")
        self.assertIn("cannot be assembled for sm_", found["misspelt"][1])
        self.assertIn("line 7", found["misspelt"][1])


class Streams(Kernels):
    def test_instances_on_several_streams_are_right(self):
        sweep = "{n: [100000], block: [128], dtype: [float32], stream: [{count: 4}]}"
        rows = self.rows(benchmark("bounded", sweep=sweep))
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        self.assertIn("makespan", {row["metric"] for row in rows})

    def test_launches_are_captured_in_a_graph(self):
        self.plant("planted.cu", SOURCE)
        measure = "metrics: [graph_time, memory], rounds: 1, warmup_s: 0.002, timeout_s: 100"
        text = planted.suite_text("graph", [benchmark("bounded")], measure)
        suite = self.plant("graph.yaml", text)
        rows = {row["metric"]: row for row in planted.read_rows(self.measured(suite, "graph"))}
        self.assertEqual(rows["graph_time"]["status"], "OK")


class Plugin(Kernels):
    def test_a_plug_in_launches_on_the_stream_that_it_is_given(self):
        for tool in ("cmake", "nvcc"):
            if shutil.which(tool) is None:
                self.skipTest(f"there is no {tool}")
        build = self.folder / "build"
        settings = [f"-DPLUMBLINE_INCLUDE={HEADER.parent}", "-DWITH_CUDA=ON"]
        for words in (
            ["cmake", "-S", EXAMPLE, "-B", build, *settings],
            ["cmake", "--build", build],
        ):
            done = subprocess.run(words, capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, f"{done.stdout}{done.stderr}")
        entry = (
            "  - {op: plugin, name: scale, library: build/libexample.so, function: scale, "
            "params: {factor: 2}, args: {x: 'uniform[n]', y: {output: [n]}}, "
            "reference: 'aten::mul(x, 2)', "
            "sweep: {n: [100000], dtype: [float32], stream: [{}, {count: 2}]}}\n"
        )
        suite = self.plant("plugged.yaml", planted.suite_text("plugged", [entry], MEASURE))
        rows = planted.read_rows(self.measured(suite, "plugged"))
        self.assertEqual({row["status"] for row in rows}, {"OK"})


@unittest.skipUnless(SHIPPED.is_file(), "there is no tree around these tests")
class Shipped(Kernels):
    def test_the_kernels_of_the_tree_are_right_and_their_configurations_differ(self):
        words = ["--rounds", "1", "--cache", "hot", "--metrics", "kernel_time"]
        sizes = ["--set", "shape=[{rows: 1024, cols: 4096}, {rows: 1000, cols: 1008}]"]
        run = self.folder / "shipped"
        done = self.plumbline("run", SHIPPED, "--device", "cuda", "-o", run, *words, *sizes)
        self.expect(0, done)
        rows = planted.read_rows(run)
        self.assertEqual({row["status"] for row in rows}, {"OK"})
        occupancies = {
            json.loads(row["kernels"])[0]["occupancy"] for row in rows if row["op"] == "tiled_transpose"
        }
        self.assertGreater(len(occupancies), 1)


class NeededLaunches(planted.Planted):
    """Right results need whole clusters, or all blocks at the same time."""

    device = "cuda"

    def test_clusters_cooperative_and_dependent_launches_are_what_they_ask_for(self):
        suite = planted.ROOT / "tests" / "gpu" / "suites" / "launches.yaml"
        run = self.folder / "launches"
        self.plumbline("run", suite, "--device", self.device, "-o", run)
        states = {row["case"]: (row["status"], row["reason"]) for row in planted.read_rows(run)}
        self.assertEqual(len(states), 6)
        for case, (status, reason) in states.items():
            too_many = "blocks=65536" in case
            self.assertEqual(status, "UNSUPPORTED" if too_many else "OK", f"{case}: {reason}")
            if too_many:
                self.assertIn("runs all at the same time", reason)


if __name__ == "__main__":
    planted.main_on_gpu()
