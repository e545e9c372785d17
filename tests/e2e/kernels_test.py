#!/usr/bin/python3
"""Kernels that suites declare, on a machine without a GPU: they are compiled and checked, and kernels that cannot be
launched are recognised."""

import json
import pathlib
import struct
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
OTHER = f"""  - op: kernel
    name: other
    source: code/other.cu
    entry: other
    template: [dtype]
    launch: {{grid: 1, block: 64}}
    args: {ARGS}
    sweep: {{n: 1000, dtype: float32}}
"""
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

    def test_shared_memory_is_held_against_the_architecture(self):
        suite = self.suite()
        suite.write_text(suite.read_text().replace("block: block}", "block: block, shared: 200000}"))
        self.checked(suite, 0, "4 kernel cases", arch="sm_90a")
        self.checked(suite, 2, "sm_80 takes 166912", arch="sm_80")
        self.checked(suite, 2, "sm_89 takes 101376", arch="sm_89")

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
            sources = json.loads((run / "run.json").read_text())["suites"][0]["sources"]
            return [source for source in sources if not source["path"].endswith(".so")]

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

    def test_a_number_of_half_precision_may_follow_the_dtype(self):
        source = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + SCALE
        for declared, dtype in (
            ("{scalar: 2}", "[float16, bfloat16, float32]"),
            ("{scalar: 2, dtype: dtype}", "[float64, bfloat16]"),
            ("{float16: 2}", "float16"),
            ("{bfloat16: 0.5}", "bfloat16"),
        ):
            with self.subTest(declared):
                args = ARGS.replace("{float32: 2}", declared)
                self.checked(self.suite(source=source, args=args, dtype=dtype), 0, "compiled for")
        args = ARGS.replace("float32: 2", "float16: 2")
        suite = self.suite(source=source, args=args, dtype="bfloat16")
        self.checked(suite, 2, "is __nv_bfloat16, args.factor is of type float16")

    def test_a_file_that_is_no_text_is_told_with_its_place_and_the_others_are_checked(self):
        for bytes_, place in (
            (SCALE.encode() + b"// \xff\n", "scale.cu:6: found the byte 0xff"),
            (SCALE.encode() + b"\0broken", "scale.cu:6: found the byte 0x00"),
            (SCALE.encode("utf-16"), "scale.cu:1: found UTF-16"),
        ):
            with self.subTest(place):
                suite = self.suite(more=OTHER)
                (self.folder / "code/scale.cu").write_bytes(bytes_)
                self.plant("code/other.cu", SCALE.replace("scale", "other") + "broken\n")
                self.checked(suite, 2, place, "no UTF-8 text", "other.cu(6): error")

    def test_a_byte_order_mark_is_no_mistake(self):
        self.checked(self.suite(source="\ufeff" + SCALE), 0, "4 kernel cases")

    def test_a_folder_in_the_place_of_a_kept_kernel_is_no_mistake(self):
        cache = self.folder / "cache"
        words = ["list", self.suite(), "--compile"]
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))
        [kept] = (cache / "kernels").iterdir()
        kept.unlink()
        kept.mkdir()
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))

    def test_an_edited_header_with_an_absolute_path_is_noticed(self):
        header = self.plant("other/factor.cuh", "#define FACTOR 2\n")
        suite = self.suite(source=f'#include "{header}"\n' + SCALE.replace("factor *", "FACTOR *"))
        self.checked(suite, 0, "4 kernel cases")
        header.write_text("#define FACTOR nothing\n")
        self.checked(suite, 2, '"nothing" is undefined')

    def test_headers_of_cccl_are_found(self):
        source = "#include <cuda/std/type_traits>\n#include <cub/warp/warp_reduce.cuh>\n" + SCALE
        self.checked(self.suite(source=source), 0, "4 kernel cases")

    def test_compiled_kernels_are_kept_in_the_cache_folder(self):
        cache = self.folder / "cache"
        suite = self.suite()
        words = ["list", suite, "--compile"]
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))
        [kept] = (cache / "kernels").iterdir()  # sizes and blocks do not affect what is compiled
        kept.write_bytes(kept.read_bytes()[:-1])
        self.expect(0, self.plumbline(*words, PLUMBLINE_CACHE=str(cache)))
        self.assertTrue(kept.is_file())


class Binaries(planted.Planted):
    """The output of another compiler: here NVRTC's PTX, with JSON as Triton leaves it."""

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

    def checked(self, code, *texts, args=ARGS, name="add_kernel", code_of="add.ptx", arch="sm_90a"):
        if code_of == "add.ptx" and not (self.folder / code_of).exists():
            self.plant(code_of, self.PTX)
        self.plant("add.json", json.dumps({"name": name, "num_warps": 4, "shared": 0}))
        suite = self.plant(
            "binaries.yaml",
            f"""suite: binaries
benchmarks:
  - op: kernel
    name: triton_add
    source: {code_of}
    metadata: add.json
    launch: {{grid: "ceil_div(n, 1024)", block: 32 * metadata.num_warps, shared: metadata.shared}}
    args: {args}
    sweep: {{n: 4096, dtype: float32}}
""",
        )
        return self.expect(
            code, self.plumbline("list", suite, "--compile", "--arch", arch), *texts
        )

    def test_ptx_is_assembled(self):
        self.checked(0, "1 kernel case compiled for sm_90a and checked")

    def test_ptx_that_cannot_be_assembled_is_told_with_its_line(self):
        for wrong, text in (
            (self.PTX.replace("ret;", "nothing.at.all;"), "line 10"),
            (self.PTX[: -len("{ ret; }")], "add.ptx"),
            (self.PTX.replace("version 8.4", "version 99.9"), "99.9"),
        ):
            with self.subTest(text):
                self.plant("add.ptx", wrong)
                self.checked(2, "1 of 1 kernel case", text)

    def test_ptx_for_another_gpu_is_told_as_such(self):
        self.plant("add.ptx", self.PTX.replace("sm_90a", "sm_100a"))
        self.checked(2, "is for sm_100a alone", "sm_90a")
        self.plant("add.ptx", self.PTX.replace("sm_90a", "sm_80"))
        self.checked(0, "1 kernel case")  # PTX is for later GPUs too

    def cubin(self, entry="add_kernel", sm=0x5A, machine=190):
        """An ELF file with the sections that describe a kernel; the GPU's number is that of ptxas 13."""
        names = b"\0.shstrtab\0.text." + entry.encode() + b"\0"
        code = bytes(128)
        begin = 64 + len(names) + len(code)
        section = struct.Struct("<IIQQQQIIQQ")
        table = section.pack(*[0] * 10)
        table += section.pack(1, 3, 0, 0, 64, len(names), 0, 0, 1, 0)
        table += section.pack(11, 1, 6, 0, 64 + len(names), len(code), 0, 0, 128, 0)
        identity = b"\x7fELF\2\1\1\x41\x08" + bytes(7)
        header = struct.pack(
            "<HHIQQQIHHHHHH", 2, machine, 1, 0, 0, begin, sm << 8, 64, 56, 0, 64, 3, 1
        )
        return identity + header + names + code + table

    def test_a_cubin_is_looked_at_and_said_to_be_no_more_than_that(self):
        file = self.folder / "add.cubin"
        file.write_bytes(self.cubin())
        done = self.checked(
            0, "1 kernel case looked at for sm_90a", code_of="add.cubin"
        )
        self.assertNotIn("compiled", done.stderr)
        for bytes_, text in (
            (b"hello", "is no ELF file"),
            (self.cubin()[:-70], "is cut off"),
            (pathlib.Path("/bin/true").read_bytes(), "is for the machine 62"),
            (self.cubin(sm=80), "is for sm_80"),
            (self.cubin(sm=100), "is for sm_100"),
            (self.cubin(entry="other_kernel"), "it has: other_kernel"),
        ):
            with self.subTest(text):
                file.write_bytes(bytes_)
                self.checked(2, "1 of 1 kernel case", text, code_of="add.cubin")

    def test_a_fatbin_is_not_taken_for_a_source(self):
        (self.folder / "add.fatbin").write_bytes(b"\x50\xed\x55\xba")
        self.checked(2, "add.fatbin", "extract", code_of="add.fatbin")

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
