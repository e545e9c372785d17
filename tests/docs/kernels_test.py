"""The examples of docs/how-to/kernel.md and plug-in.md are complete suites: all are listed, the kernel is compiled, and
the plug-in is measured on the CPU.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGES = ROOT / "docs" / "how-to"
KERNELS = ROOT / "suites" / "kernels"
EXAMPLE = ROOT / "tests" / "support" / "plugin_example"
QUICK = "rounds: 1, blocks_min: 2, blocks_max: 2, samples: 2, warmup_s: 0"
# Triton's metadata of a kernel that a suite may name.
METADATA = dict.fromkeys(["shared", "global_scratch_size", "profile_scratch_size"], 0)
METADATA |= {"name": "add_kernel", "num_warps": 4, "num_ctas": 1}


def benchmarks():
    """{name: its YAML} of the examples, in order."""
    text = "".join((PAGES / page).read_text(encoding="utf-8") for page in ("kernel.md", "plug-in.md"))
    blocks = re.findall(r"^```yaml\n(- op: .*?)^```", text, re.MULTILINE | re.DOTALL)
    return {re.search(r"name: (\S+)", block)[1]: block for block in blocks}


def built_example(folder):
    """Builds the example plug-in as its README says. Returns the library."""
    header = ROOT / "harness" / "backends" / "plugin"
    for words in (
        ["cmake", "-S", EXAMPLE, "-B", folder, f"-DPLUMBLINE_INCLUDE={header}"],
        ["cmake", "--build", folder],
    ):
        subprocess.run(words, check=True, capture_output=True, timeout=120)
    return folder / "libexample.so"


class Kernels(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        shutil.copytree(KERNELS, self.folder / "kernels")
        shutil.copytree(ROOT / "suites" / "python", self.folder / "python", ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "build").mkdir()

    def plant_what_a_compiler_made(self, text):
        """A `.cubin` without machine code, which listing does not read, and its JSON."""
        for path in re.findall(r"source: (build/\S+)", text):
            (self.folder / path).write_bytes(b"\x7fELF")
        for path in re.findall(r"metadata: (build/\S+)", text):
            (self.folder / path).write_text(json.dumps(METADATA))

    def suite(self, name):
        suite = self.folder / f"{name}.yaml"
        text = textwrap.indent(benchmarks()[name], "  ")
        self.plant_what_a_compiler_made(text)
        suite.write_text(f"suite: {name}\nmeasure: {{{QUICK}}}\nbenchmarks:\n{text}")
        return suite

    def plumbline(self, *words):
        done = subprocess.run(
            [BUILD / "bin" / "plumbline", *words], cwd=self.folder, capture_output=True, text=True, timeout=300,
            env=os.environ | {"PLUMBLINE_LOCKS": str(self.folder / "locks")},
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_every_example_is_a_suite_that_lists_its_cases(self):
        shutil.copy(built_example(self.folder / "example"), self.folder / "build")
        self.assertEqual(len(benchmarks()), 4)
        for name in benchmarks():
            with self.subTest(name):
                cases = json.loads(self.plumbline("list", self.suite(name), "--json"))
                self.assertTrue(cases)
                self.assertTrue(all(case["id"].startswith(f"{name}/custom/") for case in cases), cases)

    def test_the_example_of_a_kernel_compiles(self):
        self.plumbline("list", self.suite("tiled_transpose"), "--compile")

    def test_the_example_of_a_plug_in_is_right_on_the_cpu(self):
        shutil.copy(built_example(self.folder / "example"), self.folder / "build")
        self.plumbline("run", self.suite("scale"), "-o", self.folder / "run", "--device", "cpu")
        text = (self.folder / "run" / "results.csv").read_text()
        self.assertEqual(text.count(",OK,"), 2, text)


if __name__ == "__main__":
    unittest.main()
