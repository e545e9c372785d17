#!/usr/bin/python3
"""Machine code of what ran on a CUDA GPU: an edit that the compiler does not see leaves it alone, any other changes it.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason where
there is no GPU.
"""

import collections
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import planted  # noqa: E402

# Two kernels, so that each has another one in its module.
SOURCE = """
__device__ float offsets[4];
extern "C" __global__ void scaled(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + offsets[i & 3];
}
extern "C" __global__ void shifted(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * 2 + 0 * x[0];
}
"""
MEASURE = "metrics: [kernel_time], cache: [hot], rounds: 1, warmup_s: 0.002, timeout_s: 100"
LIBRARIES = """
  - {op: gemm, backend: [libtorch, cudnn], sweep: {m: [512], n: [512], k: [512], dtype: [float16, float32]}}
  - {op: relu, backend: [libtorch, cudnn, custom], sweep: {elements: [100000], dtype: [float32]}}
  - {op: softmax, backend: [libtorch, cudnn, custom], sweep: {rows: [512], cols: [1024], dtype: [float32]}}
  - {op: layer_norm, backend: [libtorch], sweep: {rows: [512], cols: [1024], dtype: [float16]}}
  - {op: sdpa, backend: [libtorch, cudnn], sweep: {batch: [2], heads: [8], q_len: [512], kv_len: [512], head_dim: [64], dtype: [float16]}}
"""


def benchmark(entry):
    return (
        f"  - {{op: kernel, name: {entry}, source: planted.cu, entry: {entry}, args: {{x: 'uniform[n]', y: {{output: [n]}},"
        " n: {int32: n}}, launch: {grid: 'ceil_div(n, 128)', block: 128}, reference: 'aten::mul(x, 2)',"
        " sweep: {n: [100000], dtype: [float32]}}\n"
    )


class MachineCode(planted.Planted):
    device = "cuda"

    def kernels(self, suite, name):
        """{case: kernels of a launch}, of those with kernels."""
        run = self.folder / name
        done = self.plumbline("run", suite, "--device", "cuda", "-o", run)
        self.assertIn(done.returncode, (0, 1), done)
        found = {}
        for row in planted.read_rows(run):
            if row["kernels"]:
                found[row["case"]] = [kernel for kernel in json.loads(row["kernels"]) if "grid" in kernel]
        return found

    def codes_of(self, source, name):
        (self.folder / "planted.cu").write_text(source, encoding="utf-8")
        cases = self.kernels(self.plant("planted.yaml", self.suite), name)
        codes = {case.split("/")[0]: kernels[0].get("code") for case, kernels in cases.items()}
        self.assertEqual(set(codes), {"scaled", "shifted"})
        return codes

    def test_only_what_the_compiler_sees_changes_it(self):
        self.suite = planted.suite_text("planted", [benchmark("scaled"), benchmark("shifted")], MEASURE)
        first = self.codes_of(SOURCE, "first")
        self.assertNotIn(None, first.values())
        self.assertNotEqual(first["scaled"], first["shifted"])
        self.assertEqual(self.codes_of(SOURCE, "again"), first)
        comment = "// A comment\n" + SOURCE.replace("__device__ float offsets", "__device__ float more[9];\n__device__ float offsets")
        self.assertEqual(self.codes_of(comment, "comment"), first)
        other = self.codes_of(SOURCE.replace("0 * x[0]", "0 * x[1]"), "other")
        self.assertEqual(other["scaled"], first["scaled"])
        self.assertNotEqual(other["shifted"], first["shifted"])

    def test_a_slowdown_of_identical_code_is_not_the_codes(self):
        """Side b has the same kernels, and a comment more."""
        self.suite = planted.suite_text("planted", [benchmark("scaled")], MEASURE)
        for side, source in (("a", SOURCE), ("b", "// A comment\n" + SOURCE)):
            (self.folder / side).mkdir()
            (self.folder / side / "planted.cu").write_text(source, encoding="utf-8")
            (self.folder / side / "planted.yaml").write_text(self.suite, encoding="utf-8")
        result = self.folder / "result"
        words = ("ab", self.folder / "a", self.folder / "b", "planted.yaml", "--device", "cuda", "-o", result, "--looks", "3")
        done = self.plumbline(*words, cwd=self.folder)
        self.assertIn(done.returncode, (0, 3), done)
        codes = []
        for side in ("a", "b"):
            kernels = [row["kernels"] for row in planted.read_rows(result / side) if row["kernels"]]
            codes.append({json.loads(text)[0]["code"] for text in kernels})
        self.assertEqual(codes[0], codes[1])
        self.assertEqual(len(codes[0]), 1)

    def ab(self, before, after, *words):
        """The result folder of pairs of two versions of the kernels."""
        for side, source in (("a", before), ("b", after)):
            (self.folder / side).mkdir()
            (self.folder / side / "planted.cu").write_text(source, encoding="utf-8")
            (self.folder / side / "planted.yaml").write_text(self.suite, encoding="utf-8")
        result = self.folder / "result"
        done = self.plumbline("ab", self.folder / "a", self.folder / "b", "planted.yaml", "--device", "cuda", "-o", result,
                              "--looks", "3,6,12", *words, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1, 3), done)
        return result, done

    def test_changed_code_of_a_slower_kernel_is_shown(self):
        """Side b has 40 more FFMA, in a loop, so that it is slower."""
        self.suite = planted.suite_text("planted", [benchmark("scaled"), benchmark("shifted")], MEASURE).replace("n: [100000]", "n: [4000000]")
        more = SOURCE.replace(
            "if (i < n) y[i] = 2 * x[i] + offsets[i & 3];",
            "if (i >= n) return;\n  const float c = offsets[0];\n  float v = 2 * x[i] + offsets[i & 3];\n"
            "  for (int pass = 0; pass < 200; ++pass) {\n#pragma unroll\n    for (int k = 0; k < 40; ++k) v = fmaf(v, 1.0f + c, c);\n  }\n"
            "  y[i] = v;")
        self.assertNotEqual(more, SOURCE)
        result, done = self.ab(SOURCE, more)
        comparison = json.loads((result / "comparison.json").read_text())
        verdicts = {finding["case"].split("/")[0]: finding["verdict"] for finding in comparison["findings"]}
        self.assertEqual(verdicts["scaled"], "SLOWER", verdicts)
        changes = comparison.get("code_changes", [])
        self.assertEqual([change["kernel"] for change in changes], ["scaled"], changes)
        change = changes[0]
        for side in ("a", "b"):
            files = [path.name for path in (result / side / "code").iterdir()]
            wanted = change["before" if side == "a" else "after"]["hash"]
            self.assertEqual([name.split(".")[0] for name in files], [wanted], f"{side}: only the code of the change stays")
        if "nvdisasm" in change["unknown"]:
            self.skipTest(f"the files are right; the instructions are not known: {change['unknown']}")
        self.assertEqual(change["unknown"], "")
        counts = {count["opcode"]: count["after"] - count["before"] for count in change["mix"]}
        self.assertGreaterEqual(counts.get("FFMA", 0), 40, counts)
        self.assertGreater(change["after"]["instructions"], change["before"]["instructions"] + 40)
        self.assertGreaterEqual(sum(line.startswith("+") and "FFMA" in line for line in change["diff"]), 40)
        self.assertIn(f"{change['before']['instructions']} → {change['after']['instructions']} instructions", done.stdout + done.stderr)
        self.assertIn("Controls by machine code: ", " ".join(comparison["notes"]), "shifted has equal code")

    def test_libraries_have_the_same_code_in_every_process(self):
        suite = self.plant("libraries.yaml", f"suite: libraries\nmeasure: {{{MEASURE}}}\nbenchmarks:{LIBRARIES}")
        first, again = self.kernels(suite, "first"), self.kernels(suite, "again")
        self.assertGreaterEqual(len(first), 8)
        known = collections.Counter()
        for case, kernels in first.items():
            backend = case.split("/")[1]
            for kernel, twin in zip(kernels, again[case], strict=True):
                known[backend, "code" in kernel] += 1
                self.assertEqual(kernel.get("code"), twin.get("code"), f"{case}: {kernel['name']}")
        print({f"{backend}{'' if has else ' without code'}": count for (backend, has), count in known.items()})
        for backend in ("custom", "libtorch"):
            self.assertGreater(known[backend, True], 0, known)


if __name__ == "__main__":
    planted.main_on_gpu()
