"""A temporary checkout with copies of scripts/, and planted systems, tools and set-ups for it."""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPTS = pathlib.Path(__file__).resolve().parents[2] / "scripts"

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(planted LANGUAGES NONE)
enable_testing()
foreach(program plumbline plumbline-worker)
  add_custom_target(${program} ALL COMMAND ${CMAKE_COMMAND} -E copy
    ${CMAKE_SOURCE_DIR}/${program} ${CMAKE_BINARY_DIR}/bin/${program})
endforeach()
add_test(NAME all.good COMMAND true)
add_test(NAME all.page COMMAND sh -c "echo there is no Chromium; exit 77")
set_tests_properties(all.page PROPERTIES SKIP_RETURN_CODE 77)
include(more.cmake OPTIONAL)
"""

# Writes down its arguments; check makes the folder of -o and ends with the planted status.
PLUMBLINE = """#!/bin/sh
echo "$1" >> calls
echo "$@" > words
case $1 in
  check)
    rm -rf "$7"; mkdir -p "$7"
    [ -e no_baseline ] || [ $(cat status) = 2 ] || touch "$7/comparison.json" "$7/report.html"
    exit $(cat status);;
  report) touch "$4";;
esac
"""


class Checkout(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "checkout"
        self.tools = pathlib.Path(folder.name) / "tools"
        self.cache = pathlib.Path(folder.name) / "cache"
        self.tools.mkdir()
        shutil.copytree(SCRIPTS, self.root / "scripts")
        self.plant(self.root / "CMakeLists.txt", CMAKE_LISTS)
        self.plant(self.root / "plumbline", PLUMBLINE, 0o755)
        self.plant(self.root / "plumbline-worker", "")
        self.plant_system("debian", "12")
        self.plant_tool("dpkg-query", 'shift 3; for p; do echo "$p installed"; done')
        self.plant_tool("dpkg", "true")
        self.plant_toolkit("13.0")

    def plant(self, path, text, mode=0o644):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)

    def plant_tool(self, name, script):
        self.plant(self.tools / name, f"#!/bin/bash\n{script}\n", 0o755)

    def plant_system(self, name, version):
        self.plant(self.root / "os-release", f"ID={name}\nVERSION_ID={version}\n")

    def plant_toolkit(self, release):
        for header in ("cuda_runtime.h", "nvrtc.h", "cupti.h"):
            self.plant(self.root / "cuda" / "include" / header, "")
        nvcc = f"#!/bin/sh\necho Cuda compilation tools, release {release}, V{release}.1\n"
        self.plant(self.root / "cuda" / "bin" / "nvcc", nvcc, 0o755)

    def plant_finished_set_up(self):
        names = (". scripts/setup; find_python; name_venv; echo $VENV; NEEDS=tools; name_venv; echo $VENV; "
                 "for extra in accuracy exports kubernetes notebook; do name_extra $extra; echo $EXTRA; done")
        venv, *others = map(pathlib.Path, self.call("bash", "-c", names).stdout.split())
        libraries = venv / "lib" / "python3.0" / "site-packages" / "torch" / "lib"
        self.plant(libraries / "libtorch_cuda.so", "")
        for environment in (venv, *others):
            self.plant(environment / ".complete", "")
        return venv

    def call(self, *command, **settings):
        environment = {
            "HOME": str(self.root),
            "PATH": f"{self.tools}:/usr/sbin:/usr/bin:/sbin:/bin",
            "PLUMBLINE_CACHE": str(self.cache),
            "PLUMBLINE_OS_RELEASE": str(self.root / "os-release"),
            "CUDA_HOME": str(self.root / "cuda"),
        }
        environment.update(settings)
        return subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, timeout=120
        )

    def expect_refusal(self, result, *words):
        """Ends with 2, and the last line is a sentence that has the words."""
        self.assertEqual(result.returncode, 2, result.stderr)
        for word in words:
            self.assertIn(word, result.stderr.splitlines()[-1])
