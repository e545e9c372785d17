"""THIRD_PARTY_NOTICES.md names all foreign code: included, linked, embedded, pinned or installed. The licences of shipped
code are beside the programs and in the pages."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
NOTICES = (ROOT / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8")
SHIPPED = NOTICES.split("## Used where it is installed")[0]
# Headers of the C library and the compiler; those of C++ have neither a slash nor `.h`.
OF_THE_SYSTEM = re.compile(
    r"(sys|linux|asm)/.*|(cxxabi|dlfcn|elf|errno|fcntl|link|poll|pwd|sched|signal|spawn|std\w+|string|time|unistd|[xei]mmintrin|immintrin)\.h"
)


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


def names_in(notices):
    """What stands in backquotes."""
    return set(re.findall(r"`([^`]+)`", notices))


def included():
    """Headers of others, as their folder (`fmt/`) or their name (`csv.h`), with a file that includes them."""
    found = {}
    for folder in ("harness", "reports"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".cpp", ".h", ".cu", ".cuh"}:
                for name in re.findall(r"^ *#include <([\w/.+-]+)>", path.read_text(encoding="utf-8"), re.M):
                    is_foreign = ("/" in name or ".h" in name) and not OF_THE_SYSTEM.fullmatch(name)
                    if is_foreign:
                        found[name.split("/")[0] + "/" if "/" in name else name] = path.relative_to(ROOT).as_posix()
    return found


def linked():
    """Libraries outside the build tree and the C library that `plumbline` is linked with, as ninja is told."""
    [words] = re.findall(r"\nbuild bin/plumbline: .*?\n  LINK_LIBRARIES = ([^\n]*)", (BUILD / "build.ninja").read_text(), re.S)
    return {pathlib.Path(word).name for word in words.split() if word.startswith("/")}


def embedded():
    """Files of packages that pages hold."""
    lines = re.findall(r"^set\(vendor_(?:js|css) (.*)\)$", text_of("reports/CMakeLists.txt"), re.M)
    return {pathlib.PurePosixPath(word).name for line in lines for word in line.split()}


def pinned():
    """Package → version: what requirements ask for, and what the wheels are built with."""
    asked = [re.search(r"Asked for: (.*)", path.read_text())[1] for path in (ROOT / "scripts").glob("requirements*.txt")]
    asked += re.findall(r'^requires = \[(.*)\]$', text_of("harness/python/pyproject.toml") + text_of("harness/python/worker/pyproject.toml"), re.M)
    return dict(re.findall(r"([\w-]+)(?:\[[\w,]*\])?==([\w.]+)", " ".join(asked)))


def packages():
    """Debian's, which scripts/setup installs."""
    lists = re.findall(r"^APT(?:_TEST)?_PACKAGES=\((.*?)\)", text_of("scripts/setup"), re.M | re.S)
    return set(" ".join(lists).split())


def missing(notices):
    """What the tables lack."""
    names = names_in(notices)
    shipped = names_in(notices.split("## Used where it is installed")[0])
    yield from (f"{name}, which {path} includes" for name, path in included().items() if name not in shipped)
    yield from (f"{name}, which plumbline is linked with" for name in sorted(linked() - shipped))
    yield from (f"{name}, which pages hold" for name in sorted(embedded() - shipped))
    yield from (f"{name}, which scripts/setup installs" for name in sorted(packages() - names - {"git"}))
    for name, version in pinned().items():
        rows = [line for line in notices.splitlines() if re.match(rf"\|.*(\| |`| ){re.escape(name)}[` ]", line)]
        if not any(version in row for row in rows):
            yield f"{name} {version}, which is pinned"


class Notices(unittest.TestCase):
    def test_they_name_all_that_is_used(self):
        self.assertEqual(list(missing(NOTICES)), [])

    def test_what_is_left_out_is_found(self):
        for row, said in (
            ("CLI11", "CLI/, which"), ("jemalloc", "libjemalloc_pic.a, which plumbline is linked"), ("uPlot", "uplot.iife.min.js, which pages"),
            ("valijson", "libvalijson-dev, which scripts/setup"), ("auditwheel", "auditwheel 6.8.2, which is pinned"),
        ):  # fmt: skip
            planted = "\n".join(line for line in NOTICES.splitlines() if not line.startswith(f"| {row} "))
            self.assertTrue(any(line.startswith(said) for line in missing(planted)), f"{row}: {list(missing(planted))}")

    def test_an_older_version_is_found(self):
        self.assertEqual(list(missing(NOTICES.replace("1.23.0", "1.22.0"))), ["nvidia-cudnn-frontend 1.23.0, which is pinned"])

    def test_each_row_has_a_licence_and_a_place(self):
        for row in re.findall(r"^\| (?!what )(.*) \|$", NOTICES, re.M):
            self.assertTrue(all(cell.strip() for cell in row.split(" | ")), row)


class Shipped(unittest.TestCase):
    def test_licences_are_installed_with_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            words = ["cmake", "--install", BUILD, "--component", "cli", "--prefix", folder]
            subprocess.run(words, check=True, capture_output=True)
            licences = pathlib.Path(folder) / "share/plumbline/licences"
            self.assertEqual((licences / "THIRD_PARTY_NOTICES.md").read_text(encoding="utf-8"), NOTICES)
            there = {path.stem for path in licences.glob("*.txt")}
            bill = json.loads((licences / "cli.cdx.json").read_text(encoding="utf-8"))
            self.assertIn("CLI11", {component["name"] for component in bill["components"]})
            self.assertTrue((pathlib.Path(folder) / "lib/plumbline/libcsv.so.3").exists())
        rows = [row for row in re.findall(r"^\| .*", SHIPPED, re.M) if "`plumbline`" in row or "`suites/" in row]
        self.assertGreater(len(rows), 9)
        named = {"Boost.Math": "Boost", "DeepBench": "Apache-2.0"}
        exempt = {"libstdc++, libgcc"}  # their exception asks for no notice
        for row in rows:
            what = row.split(" | ")[0].lstrip("| ")
            texts = {named.get(what, what), *names_in(row)}
            self.assertTrue(texts & there or what in exempt, f"{what}: none of {sorted(texts)} among {sorted(there)}")
        self.assertTrue({"plumbline", "LGPL-2.1", "Apache-2.0"} <= there)

    def test_a_report_holds_the_notices_of_its_scripts(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            run = ROOT / "tests/golden/cli/fixtures/earlier/run"
            subprocess.run([BUILD / "bin/plumbline", "report", run, "-o", page], check=True, capture_output=True)
            text = page.read_text(encoding="utf-8")
        for holder in ("Leon Sorokin", "Oli Folkerd"):
            self.assertIn(holder, text)
        self.assertEqual(text.count("Permission is hereby granted"), 2)
        self.assertNotIn("@font-face", text)


if __name__ == "__main__":
    unittest.main()
