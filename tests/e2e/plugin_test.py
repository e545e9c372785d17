#!/usr/bin/python3
"""A plug-in built outside the tree with only plumbline_plugin.h, measured on the CPU."""

import shutil
import subprocess
import sys
import unittest

import planted

EXAMPLE = planted.ROOT / "tests" / "support" / "plugin_example"
HEADER = planted.ROOT / "harness" / "backends" / "plugin" / "plumbline_plugin.h"
FAILED = 1  # exit code of a run whose single case fails
ARGS = "{x: 'randn[n]', y: {output: [n]}}"


def benchmark(function, **keys):
    """An op of the example; `keys` are YAML texts, None omits a key."""
    entry = {
        "op": "plugin",
        "name": function,
        "library": "libexample.so",
        "function": function,
        "args": ARGS,
        "reference": "'aten::mul(x, factor)'",
        "sweep": "{n: [1000], factor: [3], dtype: [float32]}",
        **keys,
    }
    texts = [f"{key}: {value}" for key, value in entry.items() if value is not None]
    return "  - {" + ", ".join(texts) + "}\n"


SCALE = benchmark("scale", params="{factor: factor}")


# A C++ plug-in; an exception leaves the function that the macro names.
THROWING = """#include <stdexcept>
#include "plumbline_plugin.h"
static int create(const plumbline_request*, plumbline_instance** instance) {
  if (WHERE == 1) throw std::runtime_error("nothing to be had");
  static int made;
  *instance = reinterpret_cast<plumbline_instance*>(&made);
  return 0;
}
static void destroy(plumbline_instance*) {}
static int launch(plumbline_instance*, void* const*, void*, void*) { throw 42; }
static const char* last_error() { return ""; }
static const plumbline_op op = {sizeof op, "scale", "", nullptr};
static const plumbline_op* const ops[] = {&op};
static const plumbline_plugin plugin = {
    sizeof plugin, PLUMBLINE_PLUGIN_ABI, 1, "t", "1", ops, create, destroy, nullptr, launch, last_error};
extern "C" const plumbline_plugin* plumbline_plugin_entry() { return &plugin; }
"""


class Plugin(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.library = cls.built("example")

    @classmethod
    def built(cls, name, *settings):
        """The example's library, built from a copy in an otherwise empty folder."""
        source, build = cls.class_folder / name, cls.class_folder / f"{name}-build"
        shutil.copytree(EXAMPLE, source)
        shutil.copy(HEADER, source)
        for words in (
            ["cmake", "-S", source, "-B", build, f"-DPLUMBLINE_INCLUDE={source}", *settings],
            ["cmake", "--build", build],
        ):
            done = subprocess.run(words, capture_output=True, encoding="utf-8")
            if done.returncode != 0:
                raise AssertionError(f"{words}\n{done.stdout}{done.stderr}")
        return build / "libexample.so"

    def planted_suite(self, *benchmarks, library=None):
        shutil.copy(library or self.library, self.folder / "libexample.so")
        return self.plant("plugged.yaml", planted.suite_text("plugged", benchmarks))

    def rows(self, *benchmarks, code=0, library=None):
        suite = self.planted_suite(*benchmarks, library=library)
        run = self.measured(suite, f"run-{len(list(self.folder.iterdir()))}", code=code)
        return {row["op"]: row for row in planted.read_rows(run)}

    def test_its_op_is_measured_and_its_result_is_right(self):
        row = self.rows(SCALE)["scale"]
        found = (row["status"], row["backend"], row["metric"])
        self.assertEqual(found, ("OK", "custom", "wall_time"))
        self.assertTrue(float(row["error_rel_l2"]) < 1e-6)
        self.assertTrue(row["samples"])

    def test_a_wrong_result_is_wrong_and_has_no_time(self):
        wrong = benchmark("scale_but_last", params="{factor: factor}")
        rows = self.rows(SCALE, wrong, code=1)
        self.assertEqual(rows["scale"]["status"], "OK")
        row = rows["scale_but_last"]
        self.assertEqual((row["status"], row["samples"]), ("WRONG", ""))
        self.assertIn("1 of 1000 elements are off, the worst at [999]: nan", row["reason"])

    def test_results_kept_by_an_instance_are_wrong_by_whatever_key(self):
        for function in ("remembers", "latest_place", "idle_in_place"):
            kept = benchmark(function, params="{factor: factor}")
            row = self.rows(kept, code=FAILED)[function]
            self.assertEqual((row["status"], row["samples"]), ("WRONG", ""), function)
            self.assertRegex(row["reason"], "the results of a launch on other inputs|did not do its work")

    def test_a_parameter_reaches_it_and_the_reference_notices_another(self):
        other = benchmark("scale", params="{factor: factor + 1}")
        self.assertEqual(self.rows(other, code=FAILED)["scale"]["status"], "WRONG")

    def test_it_has_the_workspace_that_it_asks_for(self):
        centre = benchmark("centre", reference="'aten::sub(x, aten::mean(x))'")
        self.assertEqual(self.rows(centre)["centre"]["status"], "OK")

    def test_what_it_cannot_do_is_unsupported_in_its_own_words(self):
        sweep = "{n: [1000], factor: [3], dtype: [float32, float16]}"
        halves = benchmark("scale", params="{factor: factor}", sweep=sweep)
        run = self.measured(self.planted_suite(halves), "run")
        found = {(row["status"], row["reason"]) for row in planted.read_rows(run)}
        self.assertEqual(found, {("OK", ""), ("UNSUPPORTED", "scale: float32 alone is supported")})

    def test_its_failure_is_told_in_its_own_words(self):
        three = benchmark("scale", args="{x: 'randn[n]', y: {output: [n]}, z: {scratch: [n]}}")
        row = self.rows(three, code=FAILED)["scale"]
        self.assertEqual(row["status"], "CRASHED")
        self.assertIn("create: expected two tensors, x and y, found 3", row["reason"])

    def test_a_success_without_an_instance_is_told(self):
        library = self.built("without", "-DCMAKE_C_FLAGS=-DEXAMPLE_WITHOUT_INSTANCE")
        row = self.rows(SCALE, code=FAILED, library=library)["scale"]
        self.assertEqual(row["status"], "CRASHED")
        self.assertIn("libexample.so: create: PLUMBLINE_OK without an instance", row["reason"])

    def test_an_entry_of_its_table_without_an_op_is_told(self):
        library = self.built("gap", "-DCMAKE_C_FLAGS=-DEXAMPLE_GAP")
        row = self.rows(SCALE, code=FAILED, library=library)["scale"]
        self.assertEqual(row["status"], "CRASHED")
        self.assertIn("libexample.so: ops[1]: no op with a name, though op_count is 9", row["reason"])

    @unittest.skipUnless(shutil.which("c++"), "there is no compiler")
    def test_an_exception_that_leaves_it_is_told_with_its_name(self):
        source = self.plant("throwing.cpp", THROWING)
        library = self.folder / "throwing.so"
        for where, text in (
            (1, "create: it threw an exception: nothing to be had"),
            (2, "launch: it threw an exception of no standard type"),
        ):
            words = ["c++", "-shared", "-fPIC", f"-I{HEADER.parent}", f"-DWHERE={where}", source]
            subprocess.run([*map(str, words), "-o", str(library)], check=True)
            row = self.rows(benchmark("scale"), code=FAILED, library=library)["scale"]
            self.assertEqual(row["status"], "CRASHED")
            self.assertIn(f"libexample.so: {text}", row["reason"])

    def test_a_write_pages_away_from_its_tensors_is_wrong(self):
        for function, where in (("far_behind", "after"), ("far_before", "before")):
            row = self.rows(benchmark(function, params="{factor: factor}"), code=FAILED)[function]
            self.assertEqual((row["status"], row["samples"]), ("WRONG", ""), function)
            self.assertIn(f"wrote out of bounds: {where} an allocation of 4000 bytes", row["reason"])

    def test_without_a_reference_it_is_unverified(self):
        row = self.rows(benchmark("centre", reference=None))["centre"]
        found = (row["status"], row["reason"])
        self.assertEqual(found, ("UNVERIFIED", "the suite declares no reference"))

    def test_an_op_or_a_parameter_that_it_lacks_is_told_with_those_that_there_are(self):
        row = self.rows(benchmark("scael", name="s"), code=FAILED)["s"]
        self.assertIn("has no op 'scael'; did you mean 'scale'?", row["reason"])
        row = self.rows(benchmark("centre", params="{factor: 2}"), code=FAILED)["centre"]
        self.assertIn("takes no parameter 'factor'; it has none", row["reason"])

    def test_a_library_of_another_abi_or_none_at_all_is_refused(self):
        library = self.built("newer", "-DEXAMPLE_ABI=99")
        row = self.rows(SCALE, code=FAILED, library=library)["scale"]
        self.assertIn("is of ABI 99, this worker calls ABI 1", row["reason"])
        row = self.rows(SCALE, code=FAILED, library=planted.BUILD / "lib" / "libcsv.so.3")["scale"]
        self.assertIn("is no plug-in: it does not export plumbline_plugin_entry", row["reason"])

    def test_a_tensor_that_it_changes_is_a_result_and_filled_afresh_for_every_check(self):
        changed = benchmark(
            "accumulate",
            args="{x: 'randn[n]', y: {inout: 'randn[n]'}}",
            reference="'aten::add(x, y)'",
        )
        self.assertEqual(self.rows(changed)["accumulate"]["status"], "OK")


if __name__ == "__main__":
    if shutil.which("cmake") is None or not EXAMPLE.is_dir():
        print("there is no cmake, or no tree around these tests")
        sys.exit(planted.SKIPPED)
    planted.main()
