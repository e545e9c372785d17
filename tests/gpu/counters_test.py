#!/usr/bin/python3
"""The GPU's counters: kernels whose traffic follows from arithmetic, against that and against `ncu` in the same call.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/, Python, and permission to read the GPU's
counters; the comparison with ncu also needs ncu. Prints every number that it checks. Ends with 77 and the reason where
there is no GPU.
"""

import csv
import io
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

NCU = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
N = 1 << 26  # 256 MB of float32: well beyond L2
MB = 1e6
TENSOR_BYTES = 4 * N
WARPS = N // 32

SOURCE = """
extern "C" __global__ void copied(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i];
  if (i < EXTRA) v += 0.0f * x[i + n / 2 < n ? i + n / 2 : i - n / 2];
  y[i] = v;
}
// Each lane reads its own 32nd of x, so that a warp's load touches 32 sectors; and each element is read twice, half of
// the kernel's time apart.
extern "C" __global__ void strided(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int at = (i & 31) * (n / 32) + i / 32;
  const int later = at + n / 64;
  y[i] = x[at] + x[later < n ? later : later - n];
}
extern "C" __global__ void conflicts(const float* x, float* y, int n) {
  __shared__ float tile[32 * WIDTH];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int lane = threadIdx.x & 31, warp = threadIdx.x / 32, next = (warp + 1) & 7;
  tile[lane * WIDTH + warp] = x[i];
  __syncthreads();
  y[blockIdx.x * blockDim.x + next * 32 + lane] = tile[lane * WIDTH + next];
}
"""
MEASURE = "metrics: [kernel_time, counters], cache: [cold], rounds: 2, warmup_s: 0.002, timeout_s: 100"
STRIDED = "aten::reshape(aten::t(aten::reshape({}, [32, n / 32])), [n])"


def kernel(entry, reference, bytes_moved="2 * n * 4", name=None, **defines):
    more = f", defines: {{{', '.join(f'{macro}: {value}' for macro, value in defines.items())}}}" if defines else ""
    return (
        f"  - {{op: kernel, name: {name or entry}, source: planted.cu, entry: {entry}{more}, args: {{x: 'uniform[n]',"
        f" y: {{output: [n]}}, n: {{int32: n}}}}, launch: {{grid: 'n / 256', block: 256}}, reference: '{reference}',"
        f" cost: {{bytes: '{bytes_moved}'}}, sweep: {{n: [{N}], dtype: [float32]}}}}\n"
    )


ROLLED = "aten::roll(x, [0 - n / 64], [0])"
BENCHMARKS = [
    kernel("copied", "aten::mul(x, 1)", EXTRA=0, WIDTH=33),
    kernel("strided", f"aten::add({STRIDED.format('x')}, {STRIDED.format(ROLLED)})", EXTRA=0, WIDTH=33),
    kernel("conflicts", "aten::mul(x, 1)", EXTRA=0, WIDTH=32),
    kernel("conflicts", "aten::mul(x, 1)", name="padded", EXTRA=0, WIDTH=33),
    "  - {op: gemm, backend: [libtorch], sweep: {m: [4096], n: [4096], k: [4096], dtype: [bfloat16]}}\n",
]
# Counters of ncu, by the metrics that they are. Its kernels start with an empty cache.
OF_NCU = {
    "dram_read_bytes": ("dram__bytes_read.sum", 1),
    "l2_bytes": ("lts__t_sectors_srcunit_tex.sum", 32),
    "instructions": ("smsp__inst_executed.sum", 1),
    "shared_conflicts": ("l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", 1),
    "tensor_active": ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 0.01),
    "achieved_occupancy": ("sm__warps_active.avg.pct_of_peak_sustained_active", 0.01),
}
UNITS = {"": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "%": 1, "sector": 1, "inst": 1}


class Counters(planted.Planted):
    device = "cuda"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.suite = cls.class_folder / "planted.yaml"
        cls.suite.write_text(planted.suite_text("planted", BENCHMARKS, MEASURE), encoding="utf-8")
        (cls.class_folder / "planted.cu").write_text(SOURCE, encoding="utf-8")
        run = cls.class_folder / "run"
        cls.done = cls.plumbline("run", cls.suite, "--device", "cuda", "-o", run)
        print(cls.done.stdout, cls.done.stderr, sep="\n")
        cls.rows = planted.read_rows(run)
        cls.run_folder = run
        cls.values, cls.reasons = {}, {}
        for row in cls.rows:
            name = row["case"].split("/")[0]
            if row["samples"] and row["worker"].startswith("counters"):
                cls.values.setdefault(name, {}).setdefault(row["metric"], []).append(planted.median_of(row))
            elif row["reason"]:
                cls.reasons.setdefault(name, {})[row["metric"]] = row["reason"]
        for name, found in cls.values.items():
            cls.values[name] = {metric: sum(values) / len(values) for metric, values in found.items()}
        for name in sorted(cls.values):
            print(name, json.dumps({metric: float(f"{value:.4g}") for metric, value in cls.values[name].items()}), flush=True)
        print("reasons", json.dumps(cls.reasons), flush=True)
        cls.l2 = int(json.loads((run / "run.json").read_text())["environment"]["device_l2_bytes"])

    def near(self, name, metric, expected, share):
        found = self.values[name][metric]
        print(f"{name} {metric}: {found:.6g}, by arithmetic {expected:.6g} ({found / expected - 1:+.2%})", flush=True)
        self.assertLess(abs(found / expected - 1), share, f"{name} {metric}")

    def test_every_case_has_times_and_counters(self):
        self.assertEqual(self.done.returncode, 0)
        names = {"copied", "strided", "conflicts", "padded", "gemm"}
        self.assertEqual(set(self.values), names, self.reasons)
        timed = {row["case"].split("/")[0] for row in self.rows if row["metric"] == "kernel_time_cold" and row["samples"]}
        self.assertEqual(timed, names)

    def test_a_copy_moves_what_it_declares(self):
        self.near("copied", "dram_read_bytes", TENSOR_BYTES, 0.02)
        self.near("copied", "l2_bytes", 2 * TENSOR_BYTES, 0.02)
        self.near("copied", "sectors_per_load", 4, 0.01)
        self.near("copied", "sectors_per_store", 4, 0.01)
        written = self.values["copied"]["dram_write_bytes"]
        print(f"copied wrote {written / MB:.1f} MB to DRAM of {TENSOR_BYTES / MB:.1f}; L2 is {self.l2 / MB:.1f}")
        self.assertLess(written, 1.02 * TENSOR_BYTES)
        self.assertGreater(written, TENSOR_BYTES - 1.1 * self.l2)
        self.assertLess(self.values["copied"]["shared_conflicts"], 0.1 * WARPS)

    def test_a_strided_double_read_is_found(self):
        self.near("strided", "sectors_per_load", 32, 0.01)
        self.near("strided", "dram_read_bytes", 2 * TENSOR_BYTES, 0.1)

    def test_bank_conflicts_are_counted(self):
        """31 more cycles for each warp's store and load of a column."""
        self.near("conflicts", "shared_conflicts", 2 * 31 * WARPS, 0.1)
        self.assertLess(self.values["padded"]["shared_conflicts"], 0.1 * 31 * WARPS)

    def test_a_matrix_product_keeps_the_tensor_pipe_busy(self):
        self.assertGreater(self.values["gemm"]["tensor_active"], 0.4)
        self.assertLess(self.values["copied"]["tensor_active"], 0.01)
        self.assertGreater(self.values["gemm"]["dram_bytes"], 2 * 2 * 4096 * 4096 * 0.95)
        self.assertGreater(self.values["gemm"]["l2_bytes"], self.values["gemm"]["dram_read_bytes"])

    def test_shares_are_shares(self):
        for name, found in self.values.items():
            for metric, value in found.items():
                if metric.startswith("stall_") or metric.endswith(("_rate", "_active", "_occupancy")):
                    self.assertTrue(0 <= value <= 1.001, f"{name} {metric} {value}")

    def test_the_declared_bytes_that_are_off_are_a_finding(self):
        said = self.done.stdout + self.done.stderr
        self.assertRegex(said, r"declares? other bytes than .* moved: .*strided/[^;]*the GPU moved [^;]*\+\d+ %")
        self.assertNotRegex(said, r"copied/[^;]*: declared bytes")
        page = self.class_folder / "report.html"
        self.expect(0, self.plumbline("report", self.run_folder, "-o", page))
        text = page.read_text(encoding="utf-8")
        self.assertIn("by the GPU's counters", text)
        self.assertIn("declared bytes are off", text)

    def test_counting_leaves_times_alone(self):
        """The same times with and without counters in the run."""
        alone = self.folder / "alone"
        words = ("run", self.suite, "--device", "cuda", "-o", alone, "--metrics", "kernel_time", "--filter", "copied")
        self.expect(0, self.plumbline(*words))

        def time_of(rows):
            times = [planted.median_of(row) for row in rows if row["metric"] == "kernel_time_cold" and "copied" in row["case"]]
            return sum(times) / len(times)

        change = time_of(self.rows) / time_of(planted.read_rows(alone)) - 1
        print(f"copied beside counters: {change:+.2%}")
        self.assertLess(abs(change), 0.03)

    def test_ncu_counts_the_same(self):
        if NCU is None:
            self.skipTest("ncu is not installed")
        for name in ("copied", "strided", "conflicts", "gemm"):
            case = next(row["case"] for row in self.rows if row["case"].startswith(name + "/"))
            flags = ("--tool-flag=--metrics", "--tool-flag=" + ",".join(counter for counter, _ in OF_NCU.values()))
            done = self.plumbline("profile", case, self.suite, "--tool", "ncu", "-o", self.folder, "--device", "cuda", *flags)
            if "ERR_NVGPUCTRPERM" in done.stderr:
                self.skipTest("ncu may not read this GPU's counters")
            self.expect(0, done)
            words = [NCU, "--import", done.stdout.strip(), "--csv", "--page", "raw", "--print-units", "base"]
            table = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            header, units, *kernels = list(csv.reader(io.StringIO(table[table.index('"ID"'):])))
            for metric, (counter, scale) in OF_NCU.items():
                if counter not in header:
                    print(f"{name}: ncu has no {counter}: {[h for h in header if '__' in h]}")
                    continue
                column = header.index(counter)
                numbers = [float(row[column].replace(",", "")) * UNITS.get(units[column], 1) for row in kernels]
                theirs = scale * (sum(numbers) if scale != 0.01 else numbers[0])
                ours = self.values[name].get(metric, 0)
                print(f"{name} {metric}: {ours:.6g}, by ncu {theirs:.6g} {len(kernels)} kernels", flush=True)
                small = {"shared_conflicts": 1e5, "tensor_active": 0.01, "achieved_occupancy": 0.02}.get(metric, 0)
                share = 0.15 if name == "gemm" else 0.05  # which tiles meet in L2 differs from launch to launch
                self.assertLess(abs(ours - theirs), max(share * theirs, small), f"{name} {metric}")

    def test_a_cause_names_the_bytes_that_moved(self):
        """Side b reads 62 % of its input once more: 31 % of what a copy moves."""
        for side, extra in (("a", 0), ("b", int(0.62 * N))):
            (self.folder / side).mkdir()
            (self.folder / side / "planted.cu").write_text(SOURCE.replace("EXTRA", str(extra)), encoding="utf-8")
            text = planted.suite_text("planted", [kernel("copied", "aten::mul(x, 1)", WIDTH=33)], MEASURE)
            (self.folder / side / "planted.yaml").write_text(text, encoding="utf-8")
        result = self.folder / "result"
        words = ("ab", self.folder / "a", self.folder / "b", "planted.yaml", "--device", "cuda", "-o", result, "--looks", "3,6")
        done = self.plumbline(*words, cwd=self.folder)
        print(done.stdout, done.stderr, sep="\n", flush=True)
        self.assertEqual(planted.verdicts(result / "comparison.json").popitem()[1], "SLOWER")
        found = re.search(r"DRAM bytes .*?\(\+(\d+(?:\.\d+)?)", done.stdout + done.stderr)
        self.assertIsNotNone(found, "no cause names DRAM bytes")
        self.assertTrue(26 <= float(found[1]) <= 38, found[0])


if __name__ == "__main__":
    planted.main_on_gpu()
