"""The examples of docs/python.md, of harness/python/README.md and of harness/store/README.md work as written, in order.
None needs a GPU: they measure on one if there is one, else on the CPU.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
import venv
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
COMPARED = {0, 1, 3}  # times on a busy machine do not concern the page

if not list((BUILD / "python/plumbline_gpu").glob("_engine*")):
    print(f"skipped: {BUILD}/python has no extension module")
    sys.exit(77)


def blocks(page):
    """(language, text) of each block of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"(?s)\n## A suite in Python\n.*?(?=\n## )", "", text)  # python_suite_test.py runs it
    return re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def planted_wheel(folder, name, requires=(), extras=()):
    """A wheel with only the metadata that pip resolves by."""
    about = [f"Name: {name}", *(f"Provides-Extra: {extra}" for extra in extras), *(f"Requires-Dist: {r}" for r in requires)]
    stem = f"{name.replace('-', '_')}-1.0"
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{stem}.dist-info/METADATA", "\n".join(["Metadata-Version: 2.1", *about, "Version: 1.0", ""]))
        wheel.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{stem}.dist-info/RECORD", "")


class Page(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="plumbline-docs-")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def done(self, command, codes=frozenset({0}), path=(), **settings):
        path = os.pathsep.join([*map(str, path), str(BUILD / "bin"), os.environ["PATH"]])
        environment = os.environ | {"PATH": path, "PYTHONPATH": str(BUILD / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        ran = subprocess.run(command, shell=isinstance(command, str), cwd=self.folder, env=environment | settings,
                             capture_output=True, encoding="utf-8", timeout=300)  # fmt: skip
        self.assertIn(ran.returncode, codes, f"{command}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def python(self, code):
        return self.done([sys.executable, "-c", code]).splitlines()


class PythonPage(Page):
    def test_every_block_is_run_by_a_test_of_this_file(self):
        kinds = [kind for kind, _ in blocks("docs/python.md")]
        self.assertEqual(kinds, ["python", "python", "sh", "python", "python"])

    def test_a_callable_is_measured_and_compared(self):
        milliseconds, name, measured, *_, compared = self.python(blocks("docs/python.md")[0][1])
        self.assertGreater(float(milliseconds), 0)
        self.assertTrue(name.startswith("softmax  "), name)
        self.assertRegex(measured, r"^(gpu_time_cold|wall_time)  [\d.]+ \ws \[")
        self.assertRegex(compared, "^(SLOWER|FASTER|SAME|UNRESOLVED): .* pairs on ")

    def test_the_function_of_jax_is_that_of_the_suite(self):
        source = (ROOT / "suites/python/jax_ops.py").read_text(encoding="utf-8")
        self.assertTrue(source.endswith("\n\n" + blocks("docs/python.md")[3][1]))

    def test_benchmarks_in_pytest_are_recorded_compared_and_read(self):
        _, (_, benchmarks), (_, commands), _, (_, reading) = blocks("docs/python.md")
        if not shutil.which("pytest"):
            self.skipTest("no pytest on PATH: three blocks of docs/python.md are not run")
        (self.folder / "test_ops.py").write_text(benchmarks, encoding="utf-8")
        plugin = {"PYTEST_PLUGINS": "plumbline_gpu.pytest_plugin"}  # the wheel's entry point
        for line in commands.splitlines():
            self.done(line, COMPARED if "compare" in line else {0}, **plugin)
        title, *table = self.python(reading)
        self.assertRegex(title, r"^\d+ of \d+ rows, ")
        for n in (1000, 10000):
            row = [line for line in table if line.startswith(f"sort/python/n={n}/test=test_ops.test_sort wall_time ")]
            self.assertEqual(len(row), 3, table)  # one per round
            self.assertLess(float(row[0].split()[2]), 0.1)
        self.assertIn("[]", table[-1])


class Readmes(Page):
    def test_the_packages_commands_install_it_from_an_index_that_has_it(self):
        [(kind, commands)] = blocks("harness/python/README.md")
        self.assertEqual(kind, "sh")
        project = tomllib.loads((ROOT / "harness/python/pyproject.toml").read_text(encoding="utf-8"))["project"]
        extras = project["optional-dependencies"]
        requires = [*project["dependencies"], *(f'{r}; extra == "{extra}"' for extra in extras for r in extras[extra])]
        planted_wheel(self.folder, project["name"], requires, extras)
        for name in sorted({re.match(r"[\w-]+", each)[0] for each in requires}):
            planted_wheel(self.folder, name)
        venv.create(self.folder / "venv", with_pip=True)
        index = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        said = ""
        for line in commands.splitlines():
            said += self.done(line, path=[self.folder / "venv/bin"], **index)
        self.assertRegex(said, "(?m)^Successfully installed .*plumbline-gpu-1.0.*(?s:.*)^Successfully installed .*torch-1.0")
        self.assertRegex(said, r"(?m)^ok +worker ")

    def test_results_are_read_without_a_package(self):
        [code] = [text for kind, text in blocks("harness/store/README.md") if kind == "python"]
        (self.folder / "results.csv").write_text("case,samples\na,1;2|4;6\n")
        self.assertEqual(self.python(f"{code}\nprint(samples)"), ["[[1.0, 2.0], [4.0, 6.0]]"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
