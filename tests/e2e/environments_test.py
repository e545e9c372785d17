#!/usr/bin/python3
"""A side is an environment of Python, or has other libraries than its worker's: what is changed there changes the
verdict. Real environments and a real worker, on the CPU.

An environment of this test has the torch of the Python that runs it, the built worker, and a package `turned`, whose
number of turns a test chooses.
"""

import csv
import json
import shutil
import subprocess
import sys

import planted
import turned

LAZY = """
class Lazy:
    def __getattr__(self, name):
        raise RuntimeError("this object cannot be looked at")

LAZY = Lazy()
"""
FEW = ("--looks", "3", "--controls", "0", "--device", "cpu")
PAIRS = ("--looks", "4,12", "--controls", "0", "--device", "cpu")


class Environments(planted.Planted):
    def setUp(self):
        super().setUp()
        self.plant("turns.yaml", turned.SUITE)
        self.plant("ops.py", turned.OPS + LAZY)
        self.code = set()

    def environment_with(self, name, turns, worker=True):
        folder = self.folder / name
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
        [packages] = folder.glob("lib/python3*/site-packages")
        (packages / turned.TORCH_FILE).write_text(f"{turned.PACKAGES}\n", encoding="utf-8")
        (packages / "turned.py").write_text(f"TURNS = {turns}\n{LAZY}", encoding="utf-8")
        if worker:
            installed = packages / "plumbline_gpu_workers" / turned.worker_name()
            installed.mkdir(parents=True)
            for file in turned.worker_files():
                (installed / file.name).symlink_to(file)
        return f"venv:{folder}"

    def ab(self, codes, *words, pairs=PAIRS):
        """The result's folder, and {case: verdict}. `codes`: exit codes, also those of a busy machine."""
        folder = self.folder / f"result-{len(list(self.folder.glob('result-*')))}"
        done = self.plumbline("ab", *words, "-o", folder, *pairs, cwd=self.folder)
        self.assertIn(done.returncode, codes, done)
        return folder, planted.verdicts(folder / "comparison.json")

    def test_a_package_that_became_slower_makes_its_cases_slower(self):
        old, new = self.environment_with("old", turns=1), self.environment_with("new", turns=6)
        folder, verdicts = self.ab({1}, old, new, "turns.yaml")
        self.assertEqual(set(verdicts.values()), {"SLOWER"})
        for side, name in (("a", "old"), ("b", "new")):
            variables = json.loads((folder / side / "run.json").read_text())["variables"]
            self.assertEqual(variables["PLUMBLINE_PYTHON"], str(self.folder / name / "bin/python3"))
            with open(folder / side / "results.csv", encoding="utf-8", newline="") as file:
                self.code.update(row["code"] for row in csv.DictReader(file))
        # The environments are folders beside the suite. Their files do not count as code of the suite.
        self.assertEqual(len(self.code), 1)

    def test_environments_with_the_same_packages_are_calm(self):
        old, new = self.environment_with("old", turns=2), self.environment_with("new", turns=2)
        _, verdicts = self.ab({0, 3}, old, new, "turns.yaml")
        self.assertLessEqual(set(verdicts.values()), {"SAME", "UNRESOLVED"})

    def test_an_environment_without_a_worker_says_how_to_get_one(self):
        name = self.environment_with("bare", turns=1, worker=False)
        done = self.plumbline("ab", name, ".", "turns.yaml", *PAIRS, cwd=self.folder)
        self.expect(2, done, "no worker is installed in it", "plumbline worker build --torch")

    def test_the_libraries_that_are_named_are_those_that_are_loaded(self):
        libraries = self.folder / "libraries"
        libraries.mkdir()
        shutil.copy(turned.PACKAGES / "nvidia/cudnn/lib/libcudnn.so.9", libraries)
        self.plant("relu.yaml", planted.healthy("relu", sizes=(1000,)))
        for tool in ((), ("--sandbox",)) if can_sandbox() else ((),):
            with self.subTest(tool=tool):
                folder, _ = self.ab({0, 1, 3}, ".", ".", "relu.yaml", "--b-libs", libraries, *tool, pairs=FEW)
                loaded = [
                    json.loads((folder / side / "run.json").read_text())["environment"]["cudnn_library"]
                    for side in ("a", "b")
                ]
                self.assertEqual(loaded[1], str(libraries / "libcudnn.so.9"))
                self.assertNotEqual(loaded[0], loaded[1])

    def test_a_folder_without_a_library_of_the_worker_is_a_mistake(self):
        (self.folder / "none").mkdir()
        self.plant("relu.yaml", planted.healthy("relu", sizes=(1000,)))
        done = self.plumbline("ab", ".", ".", "relu.yaml", "--a-libs", "none", *PAIRS, cwd=self.folder)
        self.expect(2, done, "--a-libs none: it holds no library")


def can_sandbox():
    done = subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], check=False, capture_output=True)
    return done.returncode == 0


if __name__ == "__main__":
    planted.main()
