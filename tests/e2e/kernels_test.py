#!/usr/bin/python3
"""Kernels that suites declare, on a machine without a GPU: they are compiled, checked and told
apart from what cannot be launched, and nothing more."""

import json
import unittest

import planted

SCALE = """template <class T>
__global__ void scale(const T* x, T* y, T factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = factor * x[i];
}
"""
ARGS = "{x: 'randn[n]', y: {output: [n]}, factor: {float32: 2}, n: {int32: n}}"
SUITE = """suite: kernels
measure: {{{measure}}}
benchmarks:
  - op: kernel
    name: scale
    source: code/scale.cu
    entry: {entry}
    template: [dtype]
    launch: {{grid: "ceil_div(n, block)", block: block}}
    args: {args}
    reference: aten::mul(x, 2)
    sweep: {{n: [1000, 2000], block: [64, 128], dtype: {dtype}}}
{more}"""
RELU = "  - {op: relu, sweep: {elements: [1000], dtype: [float32]}}\n"


class Kernels(planted.Planted):
    def suite(self, source=SCALE, entry="scale", args=ARGS, dtype="float32", more=""):
        self.plant("code/scale.cu", source)
        text = SUITE.format(
            entry=entry, args=args, dtype=dtype, more=more, measure=planted.MEASURE
        )
        return self.plant("kernels.yaml", text)

    def checked(self, suite, code, *texts, arch=None):
        words = ["list", suite, "--compile", *(["--arch", arch] if arch else [])]
        return self.expect(code, self.plumbline(*words), *texts)

    def test_a_good_kernel_compiles_for_the_usual_and_for_a_named_architecture(self):
        suite = self.suite()
        self.checked(suite, 0, "4 kernel cases compiled for sm_90a and checked")
        self.checked(suite, 0, "4 kernel cases compiled for sm_80 and checked", arch="sm_80")

    def test_a_mistake_in_the_source_is_told_once_with_its_file_and_line(self):
        suite = self.suite(source=SCALE + "\n__device__ int broken = nothing;\n")
        source = self.folder / "code/scale.cu"
        done = self.checked(suite, 2, "4 of 4 kernel cases", f"{source}(7): error", "and 3 more")
        self.assertEqual(done.stderr.count("(7): error"), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_arguments_that_do_not_fit_the_kernel_are_told_with_the_parameter(self):
        half = "'randn(dtype=\"float16\")[n]'"
        for right, wrong, text in (
            ("float32: 2", "int32: 2", "is float, args.factor is of type int32"),
            ("int32: n", "int64: n", "parameter 4 of the kernel is int, args.n is of type int64"),
            (", n: {int32: n}", "", "'args' declares 3: x, y, factor"),
            ("'randn[n]'", half, "is float const*, args.x is a tensor of float16"),
        ):
            with self.subTest(text):
                self.checked(self.suite(args=ARGS.replace(right, wrong)), 2, text)

    def test_a_launch_that_no_gpu_takes_is_told_without_one(self):
        suite = self.suite()
        suite.write_text(suite.read_text().replace("block: [64, 128]", "block: [64, 2048]"))
        self.checked(suite, 2, "2 of 4 kernel cases", "the block is 2048 in x, no GPU takes more than 1024")

    def test_an_entry_that_the_source_lacks_is_named(self):
        self.checked(self.suite(entry="scael"), 2, "'scael<float>' is no kernel of")

    def test_an_architecture_that_there_is_not_is_a_mistake(self):
        self.checked(self.suite(), 2, "-arch", arch="sm_12")

    def test_an_architecture_without_compiling_is_a_mistake(self):
        self.expect(2, self.plumbline("list", self.suite(), "--arch", "sm_90"), "--compile")

    def test_where_there_is_no_gpu_a_kernel_is_unsupported_once_it_has_compiled(self):
        suite = self.suite(more=RELU)
        listed = self.plumbline("list", suite, "--device", "cpu")
        self.expect(0, listed)
        told = "scale/custom/block=64/dtype=float32/n=1000  # UNSUPPORTED: a kernel needs a GPU"
        self.assertIn(told, listed.stdout)
        run = self.measured(suite, "run")
        rows = {row["case"]: row for row in planted.read_rows(run)}
        kernel = rows["scale/custom/block=64/dtype=float32/n=1000"]
        self.assertEqual(kernel["status"], "UNSUPPORTED")
        self.assertEqual(kernel["reason"], "a kernel needs a GPU; this one compiles for sm_90a")
        self.assertEqual(kernel["op"], "scale")
        self.assertEqual(rows["relu/libtorch/dtype=float32/elements=1000"]["status"], "OK")

    def test_a_kernel_that_does_not_compile_crashes_its_case_with_the_line(self):
        suite = self.suite(source=SCALE + "broken\n", more=RELU)
        run = self.measured(suite, "run", code=1)
        reasons = {row["reason"] for row in planted.read_rows(run) if row["status"] == "CRASHED"}
        self.assertTrue(reasons)
        for reason in reasons:
            self.assertIn("code/scale.cu(6): error", reason)

    def test_kernels_alone_on_such_a_machine_leave_nothing_measured(self):
        done = self.plumbline(*self.run_words(self.suite(), self.folder / "run"))
        self.expect(2, done, "nothing was measured")

    def test_an_edited_kernel_is_another_source_of_the_same_problem(self):
        def recorded(run):
            return json.loads((run / "run.json").read_text())["suites"][0]["sources"]

        before = self.measured(self.suite(more=RELU), "before")
        after = self.measured(self.suite(source=SCALE + "// faster\n", more=RELU), "after")
        [[old], [new]] = recorded(before), recorded(after)
        self.assertTrue(old["path"].endswith("code/scale.cu"))
        self.assertEqual(old["path"], new["path"])
        self.assertNotEqual(old["hash"], new["hash"])
        revisions = [
            {row["case"]: row["revision"] for row in planted.read_rows(run)}
            for run in (before, after)
        ]
        self.assertEqual(*revisions)
        output = self.folder / "comparison.json"
        self.plumbline("compare", before, after, "-o", output)
        changes = json.loads(output.read_text())["environment_changes"]
        found = [change for change in changes if change["label"].startswith("source file")]
        hashes = [(change["baseline"], change["candidate"]) for change in found]
        self.assertEqual(hashes, [(old["hash"], new["hash"])])

    def test_a_run_whose_kernel_was_edited_meanwhile_is_not_resumed(self):
        suite = self.suite(more=RELU)
        run = self.measured(suite, "run")
        planted.edit_json(run / "run.json", lambda info: info.update(finished_at=None))
        self.suite(source=SCALE + "// edited\n", more=RELU)
        done = self.plumbline(*self.run_words(suite, run, "--resume"))
        self.expect(2, done, "code/scale.cu (hash)")

    def test_compiled_kernels_are_kept_in_the_cache_folder(self):
        cache = self.folder / "cache"
        suite = self.suite()
        words = ["list", suite, "--compile"]
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))
        [kept] = (cache / "kernels").iterdir()  # sizes and blocks are no part of what is compiled
        kept.write_bytes(kept.read_bytes()[:-1])
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))
        self.assertTrue(kept.is_file())


class Binaries(planted.Planted):
    """What another compiler made: here NVRTC's PTX, as Triton would leave it with its JSON."""

    PTX = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry add_kernel(
  .param .u64 .ptr .global .align 1 add_kernel_param_0,
  .param .u64 .ptr .global .align 1 add_kernel_param_1,
  .param .u32 add_kernel_param_2
)
.reqntid 128
{ ret; }
"""

    ARGS = "{x: 'randn[n]', y: {output: [n]}, n: {int32: n}}"

    def checked(self, code, *texts, args=ARGS, name="add_kernel"):
        self.plant("add.ptx", self.PTX)
        self.plant("add.json", json.dumps({"name": name, "num_warps": 4, "shared": 0}))
        suite = self.plant(
            "binaries.yaml",
            f"""suite: binaries
benchmarks:
  - op: kernel
    name: triton_add
    source: add.ptx
    metadata: add.json
    launch: {{grid: "ceil_div(n, 1024)", block: 32 * metadata.num_warps, shared: metadata.shared}}
    args: {args}
    sweep: {{n: 4096, dtype: float32}}
""",
        )
        self.expect(code, self.plumbline("list", suite, "--compile"), *texts)

    def test_ptx_is_checked_without_compiling(self):
        self.checked(0, "1 kernel case")

    def test_its_parameters_are_checked_too(self):
        self.checked(2, "3 parameters", args="{x: 'randn[n]', y: {output: [n]}}")

    def test_a_name_that_it_lacks_is_told_with_those_that_it_has(self):
        self.checked(2, "'add' is no kernel of", "add_kernel", name="add")


@unittest.skipUnless((planted.ROOT / "suites").is_dir(), "there is no tree around these tests")
class Shipped(planted.Planted):
    def test_the_kernels_of_the_tree_compile_for_every_data_centre_gpu_of_late(self):
        suite = planted.ROOT / "suites" / "kernels.yaml"
        for arch in ("sm_80", "sm_90a", "sm_100a"):
            with self.subTest(arch):
                done = self.plumbline("list", suite, "--compile", "--arch", arch, "--device", "cpu")
                self.expect(0, done, f"compiled for {arch}")


if __name__ == "__main__":
    planted.main()
