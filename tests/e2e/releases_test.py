#!/usr/bin/python3
"""`plumbline bisect` finds the release of a package that made a case slower. Real pip, real environments and a real
worker, on the CPU.

The index is a folder of wheels: releases of `turned`, the torch of the tests under the name of torch, and the built
worker. Release 1.3 makes more turns. Release 1.2 needs a package that does not exist.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import planted
import turned

RELEASES = {"1.0": 1, "1.1": 1, "1.2": 1, "1.3": 30, "1.4": 30}  # version: turns
TORCH = "torch==9.0"
LIMIT_S = 900  # for a search


def write_wheel(folder, name, version, files, needs=()):
    """`files`: {path in the wheel: text, or a file to copy}."""
    stem = f"{name}-{version}"
    about = "".join(f"{key}: {value}\n" for key, value in [("Metadata-Version", "2.1"), ("Name", name),
                    ("Version", version), *(("Requires-Dist", need) for need in needs)])  # fmt: skip
    kind = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    info = f"{stem}.dist-info"
    files = {**files, f"{info}/METADATA": about, f"{info}/WHEEL": kind}
    record = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as wheel:
        for path, content in {**files, f"{info}/RECORD": record}.items():
            if isinstance(content, pathlib.Path):
                wheel.write(content, path)  # keeps that it is executable
            else:
                wheel.writestr(path, content)


def version_of_plumbline():
    said = subprocess.run([planted.BIN / "plumbline", "--version"], check=True, capture_output=True, encoding="utf-8")
    return re.search(r"\d+\.\d+\.\d+", said.stdout).group()


def write_worker(folder):
    torch, _ = turned.torch_version()
    place = f"plumbline_gpu_workers/{turned.worker_name()}"
    files = {}
    for file in turned.worker_files():
        parts = [file] if file.is_file() else list(file.rglob("*.py"))
        there = f"{place}/../lib" if file.suffix == ".so" else place  # where the built worker looks for its library
        files |= {os.path.normpath(f"{there}/{path.relative_to(file.parent)}"): path for path in parts}
    write_wheel(folder, f"plumbline_gpu_torch{torch.replace('.', '')}", version_of_plumbline(), files)


class Releases(planted.Planted):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.index = cls.class_folder / "index"
        cls.index.mkdir()
        for version, turns in RELEASES.items():
            needs = ["a-package-that-does-not-exist"] if version == "1.2" else []
            write_wheel(cls.index, "turned", version, {"turned.py": f"TURNS = {turns}\n"}, needs)
        write_wheel(cls.index, "torch", TORCH.split("==")[1], {turned.TORCH_FILE: f"{turned.PACKAGES}\n"})
        write_worker(cls.index)

    @classmethod
    def environment(cls, **more):
        variables = {
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(cls.class_folder / "index"),
            "PLUMBLINE_CACHE": str(cls.class_folder / "cache"),
        }
        return super().environment(**(variables | more))

    def bisect(self, *words, **variables):
        self.plant("turns.yaml", turned.SUITE)
        self.plant("ops.py", turned.OPS)
        fixed = ("--with", TORCH, "--python", sys.executable, "--find-links", self.index, "--device", "cpu")
        words = ("bisect", *words, "turns.yaml", "-o", self.folder / "search", *fixed)
        return self.plumbline(*words, cwd=self.folder, timeout=LIMIT_S, **variables)

    def test_the_release_is_found_and_one_that_cannot_be_installed_is_left_out(self):
        done = self.bisect("turned==1.0", "turned==1.4", "--case", turned.CASE, "--json")
        self.expect(0, done)
        [search] = json.loads(done.stdout)["searches"]
        self.assertEqual(search["versions"], 5)
        self.assertEqual([one["version"] for one in search["left_out"]], ["turned==1.2"])
        self.assertIn("a-package-that-does-not-exist", search["left_out"][0]["reason"])
        self.assertEqual(search["found"], ["turned==1.2", "turned==1.3"])  # nobody can tell these two apart
        self.assertGreater(search["own"]["low"], 1)

    def test_mistakes_are_said_before_an_environment_is_made(self):
        own = {"PLUMBLINE_CACHE": str(self.folder / "cache")}
        for words, message in (
            (("turned==1.0", "turned==2.0"), "no release 2.0 of turned; it finds 1.0, 1.1, 1.2, 1.3, 1.4"),
            (("turned==1.0", "main"), "the same packages"),
            (("turned==1.0", "turned==1.0"), "the same packages"),
            (("turned==1.0", "torch==9.0"), "the same packages"),
            (("absent==1.0", "absent==1.1"), "names no releases"),
        ):
            with self.subTest(words=words):
                self.expect(2, self.bisect(*words, "--case", turned.CASE, **own), message)
        done = self.bisect("turned==1.0", "turned==1.4", "--case", "turn/n=1", **own)
        self.expect(2, done, "there is no such case")
        self.assertEqual(list((self.folder / "cache").glob("upgrade-*")), [])


if __name__ == "__main__":
    planted.main()
