#!/usr/bin/python3
"""Runs copies of scripts/ in temporary checkouts, with planted systems, tools and results.

Nothing is downloaded or installed: a finished set-up is planted in the cache, or the set-up fails
before it comes to that. That the packages themselves install is shown by scripts/test having run.
"""

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

# Writes what it was asked; check makes the folder of -o and ends with the planted status.
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
        name = ". scripts/setup; find_python; name_venv; echo $VENV"
        venv = pathlib.Path(self.call("bash", "-c", name).stdout.strip())
        libraries = venv / "lib" / "python3.0" / "site-packages" / "torch" / "lib"
        self.plant(libraries / "libtorch_cuda.so", "")
        self.plant(venv / ".complete", "")
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


class SetUp(Checkout):
    def test_a_finished_set_up_is_taken_as_it_is(self):
        venv = self.plant_finished_set_up()
        result = self.call("scripts/setup")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(str(venv), result.stderr)
        self.assertIn(f"CUDA toolkit in {self.root}/cuda", result.stderr)

    def test_other_pins_mean_another_environment(self):
        before = self.plant_finished_set_up()
        with open(self.root / "scripts" / "requirements.txt", "a") as file:
            file.write("# changed\n")
        self.assertNotEqual(before, self.plant_finished_set_up())

    def test_ubuntu_24_04_is_supported(self):
        self.plant_finished_set_up()
        self.plant_system("ubuntu", "24.04")
        self.assertEqual(self.call("scripts/setup").returncode, 0)

    def test_another_system_is_refused_by_name(self):
        self.plant_system("fedora", "41")
        result = self.call("scripts/setup")
        self.expect_refusal(result, "unsupported system: fedora 41", "PLUMBLINE_ANY_SYSTEM=1")

    def test_another_system_goes_on_when_asked_to(self):
        self.plant_finished_set_up()
        self.plant_system("fedora", "41")
        self.plant_tool("dpkg-query", "exit 1")
        result = self.call("scripts/setup", PLUMBLINE_ANY_SYSTEM="1")
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_without_root_the_line_to_run_is_printed(self):
        self.plant_tool("dpkg-query", 'echo "cmake installed"')
        self.plant_tool("id", "echo 1000")
        self.plant_tool("sudo", "exit 1")
        result = self.call("scripts/setup")
        self.expect_refusal(result, "sudo apt-get install --yes", "ninja-build")
        self.assertNotIn(" cmake ", result.stderr)

    def test_sudo_is_used_where_it_asks_no_password(self):
        self.plant_tool("dpkg-query", 'echo "cmake installed"')
        self.plant_tool("id", "echo 1000")
        self.plant_tool("sudo", 'shift; "$@"')
        self.plant_tool("apt-get", f'echo "$*" >> {self.root}/apt')
        self.plant_finished_set_up()
        self.assertEqual(self.call("scripts/setup").returncode, 0)
        self.assertRegex((self.root / "apt").read_text(), r"update\n.*install --yes .*ninja-build")

    def test_apt_without_network_is_one_sentence(self):
        self.plant_tool("dpkg-query", "exit 1")
        self.plant_tool("id", "echo 0")
        self.plant_tool("apt-get", "echo 'Temporary failure resolving deb.debian.org'; exit 100")
        result = self.call("scripts/setup")
        self.expect_refusal(result, "apt-get install failed: no network")

    def test_pip_without_network_is_one_sentence(self):
        result = self.call("scripts/setup", PIP_INDEX_URL="http://127.0.0.1:9/simple")
        self.expect_refusal(result, "pip install failed: no network")

    def test_an_interrupted_set_up_is_not_taken_for_whole(self):
        (self.plant_finished_set_up() / ".complete").unlink()
        result = self.call("scripts/setup", PIP_INDEX_URL="http://127.0.0.1:9/simple")
        self.assertIn("An earlier set-up was interrupted", result.stderr)

    def test_a_disk_without_room_is_refused_before_anything_is_written(self):
        self.plant_tool("df", "printf 'a b c d\\n/dev/x 9 9 2048 1%% /\\n'")
        result = self.call("scripts/setup")
        self.expect_refusal(result, "no disk", "12 GB", "2 GB")

    def test_a_cache_that_cannot_be_written_is_named(self):
        self.plant(self.root / "file", "")
        result = self.call("scripts/setup", PLUMBLINE_CACHE=str(self.root / "file" / "cache"))
        self.expect_refusal(result, "cannot write to", "file/cache")

    def test_help_is_the_comment_at_the_head_and_installs_nothing(self):
        for script in ("setup", "build", "bench", "test", "format", "wheel"):
            with self.subTest(script=script):
                done = self.call(f"scripts/{script}", "--help")
                self.assertEqual(done.returncode, 0, done.stderr)
                head = (SCRIPTS / script).read_text().splitlines()[1]
                self.assertEqual(done.stdout.splitlines()[0], head.removeprefix("# "))
                self.assertNotIn("#", done.stdout.splitlines()[-1])
        self.assertFalse(self.cache.exists())

    def test_an_older_toolkit_is_not_taken(self):
        self.plant_toolkit("12.8")
        find = ". scripts/setup; toolkit_is_usable $CUDA_HOME"
        self.assertEqual(self.call("bash", "-c", find).returncode, 1)
        self.plant_toolkit("13.2")
        self.assertEqual(self.call("bash", "-c", find).returncode, 0)

    def test_a_toolkit_without_headers_is_not_taken(self):
        (self.root / "cuda" / "include" / "cupti.h").unlink()
        find = ". scripts/setup; toolkit_is_usable $CUDA_HOME"
        self.assertEqual(self.call("bash", "-c", find).returncode, 1)

    def test_an_unknown_choice_of_toolkit_names_the_allowed_ones(self):
        result = self.call("scripts/setup", PLUMBLINE_CUDA="mine")
        self.expect_refusal(result, "PLUMBLINE_CUDA=mine", "system, wheels and auto")

    def apt_words(self, script):
        """What a script asks apt for where nothing is installed."""
        self.plant_tool("dpkg-query", "exit 1")
        self.plant_tool("id", "echo 1000")
        self.plant_tool("sudo", "exit 1")
        return self.call(f"scripts/{script}").stderr.split()

    def test_only_tests_need_a_browser_googletest_and_scipy(self):
        of_tests = {"chromium", "libgtest-dev", "python3-scipy", "shellcheck"}
        self.assertLessEqual(of_tests, set(self.apt_words("test")))
        for script in ("bench", "build", "wheel"):
            words = set(self.apt_words(script))
            self.assertIn("cmake", words)
            self.assertFalse(of_tests & words, script)

    def test_the_pins_of_a_toolkit_beside_another_torch_are_those_of_the_pinned_one(self):
        done = self.call("bash", "-c", ". scripts/setup; pins_of nvidia-cuda-runtime nvidia-nvtx")
        self.assertRegex(done.stdout, r"^nvidia-cuda-runtime==[0-9.]+ (\\\n +--hash=\S+ ?)+\nnvidia-nvtx==")
        self.assertEqual(done.stdout.count("=="), 2)

    def test_every_package_is_pinned_by_version_and_hash(self):
        for path in SCRIPTS.glob("requirements*.txt"):
            lines = path.read_text().replace("\\\n", "").splitlines()
            packages = [line for line in lines if not line.startswith("#")]
            self.assertTrue(packages)
            for package in packages:
                self.assertRegex(package, r"^[a-z0-9-]+==[0-9.]+ .*--hash=sha256:[0-9a-f]{64}")


class Build(Checkout):
    def plant_torch(self, folder, cuda="13"):
        packages = folder / "lib/python3.0/site-packages"
        self.plant(packages / "torch/version.py", "")
        self.plant(packages / "torch/lib/libtorch_cuda.so", "")
        self.plant(packages / f"nvidia/cu{cuda}/include/cuda_runtime.h", "")
        python = f'#!/bin/sh\necho {packages}/torch/__init__.py\n'
        self.plant(folder / "bin/python3", python, 0o755)
        return packages

    def plant_tools(self):
        name = ". scripts/setup; find_python; NEEDS=tools; name_venv; echo $VENV"
        venv = pathlib.Path(self.call("bash", "-c", name).stdout.strip())
        self.plant(venv / ".complete", "")
        return venv

    def settings(self, *words, folder="build", **variables):
        done = self.call("scripts/build", *words, **variables)
        self.assertEqual(done.returncode, 0, done.stderr)
        return (self.root / folder / "settings").read_text()

    def test_a_torch_that_is_there_is_taken_and_none_is_installed(self):
        venv = self.plant_tools()
        there = self.plant_torch(self.root / "conda")
        for named in (there, self.root / "conda", self.root / "conda/bin/python3"):
            settings = self.settings("--torch", str(named), "--arch", "90a-real")
            self.assertIn(f"-DPLUMBLINE_TORCH={there} -DCMAKE_CUDA_ARCHITECTURES=90a-real", settings)
            self.assertIn(f"-DPLUMBLINE_VENV={venv}", settings)
        active = self.settings(VIRTUAL_ENV=str(self.root / "conda"))
        self.assertIn(f"-DPLUMBLINE_TORCH={there}", active)

    def test_a_torch_that_does_not_fit_is_refused_by_name_and_not_taken_unasked(self):
        self.plant_torch(self.root / "conda", cuda="12")
        self.expect_refusal(self.call("scripts/build", "--torch", "conda"), "its CUDA is not 13.x")
        self.expect_refusal(self.call("scripts/build", "--torch", "nowhere"), "no torch in nowhere")
        self.plant_finished_set_up()
        settings = self.settings(VIRTUAL_ENV=str(self.root / "conda"))
        self.assertNotIn("PLUMBLINE_TORCH", settings)

    def test_the_command_line_alone_needs_no_torch_and_no_cuda(self):
        self.plant_tools()
        shutil.rmtree(self.root / "cuda")
        settings = self.settings("--cli-only", folder="build-cli")
        self.assertIn("-DPLUMBLINE_WORKER=OFF", settings)
        self.assertNotIn("nvcc", settings)

    def test_an_unknown_option_and_a_missing_value_are_refused(self):
        self.expect_refusal(self.call("scripts/build", "--toch", "x"), "'--toch' is not known", "--torch PATH")
        self.expect_refusal(self.call("scripts/build", "--torch"), "--torch lacks its value")
        self.expect_refusal(self.call("scripts/wheel", "plumbline"), "found 'plumbline'")


# Says what differs, as --dry-run does, and formats by emptying the file.
CLANG_FORMAT = """#!/bin/bash
[[ $1 == -i ]] && shift || { shift 2; check=1; }
for file; do
  [[ -s $file ]] || continue
  if [[ -v check ]]; then echo "$file: differs" >&2; bad=1; else : > "$file"; fi
done
exit ${bad:-0}
"""


class Format(Checkout):
    def setUp(self):
        super().setUp()
        self.call("git", "init", "--quiet")
        self.plant(self.root / "one.cpp", "int a;")
        self.plant(self.root / "two.h", "")
        self.plant(self.root / "gone.cu", "int b;")
        self.call("git", "add", ".")
        (self.root / "gone.cu").unlink()

    def plant_clang_format(self):
        self.plant(self.plant_finished_set_up() / "bin" / "clang-format", CLANG_FORMAT, 0o755)

    def test_files_that_differ_are_named_then_formatted(self):
        self.plant_clang_format()
        checked = self.call("scripts/format", "--check")
        self.assertEqual(checked.returncode, 1, checked.stderr)
        self.assertIn("one.cpp: differs", checked.stderr)
        self.assertNotIn("gone.cu", checked.stderr)
        self.assertIn("scripts/format does it", checked.stderr.splitlines()[-1])
        formatted = self.call("scripts/format")
        self.assertEqual(formatted.returncode, 0, formatted.stderr)
        self.assertIn("files are formatted.", formatted.stderr.splitlines()[-1])
        self.assertEqual((self.root / "one.cpp").read_text(), "")
        self.assertEqual(self.call("scripts/format", "--check").returncode, 0)

    def test_another_argument_is_refused_before_anything_is_done(self):
        for arguments in (["--chek"], ["one.cpp"], ["--check", "one.cpp"], ["--check", "--check"]):
            with self.subTest(arguments=arguments):
                refused = self.call("scripts/format", *arguments)
                self.expect_refusal(refused, f"found '{' '.join(arguments)}'", "allowed: --check")
        self.assertFalse(self.cache.exists())

    def test_outside_of_a_checkout_that_is_said(self):
        shutil.rmtree(self.root / ".git")
        refused = self.call("scripts/format", GIT_CEILING_DIRECTORIES=str(self.root.parent))
        self.expect_refusal(refused, str(self.root), "no git checkout", "clone")

    def test_a_set_up_without_the_program_and_one_that_fails_are_no_difference_of_files(self):
        venv = self.plant_finished_set_up()
        self.expect_refusal(self.call("scripts/format", "--check"), "there is no", "clang-format")
        self.plant(venv / "bin" / "clang-format", "#!/bin/sh\nexit 1\n", 0o755)
        self.expect_refusal(self.call("scripts/format"), "clang-format failed")


class Test(Checkout):
    def setUp(self):
        super().setUp()
        self.plant_finished_set_up()

    def test_counts_and_reasons_come_last(self):
        result = self.call("scripts/test")
        self.assertEqual(result.returncode, 0, result.stderr)
        expected = "skipped, there is no Chromium:\n  all.page\n1 passed, 0 failed, 1 skipped\n"
        self.assertEqual(result.stdout, expected)

    def test_a_failure_and_a_missing_program_are_failures(self):
        self.plant(
            self.root / "more.cmake",
            "add_test(NAME bad COMMAND false)\nadd_test(NAME gone COMMAND /nowhere/gone)\n",
        )
        result = self.call("scripts/test")
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("FAILED bad", result.stdout)
        self.assertIn("FAILED gone", result.stdout)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 2 failed, 1 skipped")

    def test_a_pattern_selects(self):
        result = self.call("scripts/test", "all.go")
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")

    def test_a_layer_is_built_and_run_alone(self):
        (self.root / "tests" / "unit" / "all").mkdir(parents=True)
        self.plant(self.root / "more.cmake", "add_custom_target(test_all)\n")
        result = self.call("scripts/test", "all.good")
        self.assertIn("Building test_all ", result.stderr)
        self.assertEqual(result.stdout.splitlines()[-1], "1 passed, 0 failed, 0 skipped")

    def test_nothing_that_ran_is_an_error(self):
        for pattern in ("nothing", "all.page"):
            result = self.call("scripts/test", pattern)
            self.assertEqual(result.returncode, 2)
            self.assertIn("no test ran", result.stdout)

    def test_a_build_that_fails_shows_the_error_and_ends_with_2(self):
        more = 'add_custom_target(broken ALL COMMAND sh -c "echo planted mistake; exit 1")\n'
        self.plant(self.root / "more.cmake", more)
        result = self.call("scripts/test")
        self.expect_refusal(result, "the build failed", "build.log")
        self.assertIn("planted mistake", result.stderr)


class Bench(Checkout):
    def setUp(self):
        super().setUp()
        self.plant_finished_set_up()
        self.plant_status(0)

    def plant_status(self, status):
        self.plant(self.root / "status", str(status))

    def test_the_exit_code_is_that_of_the_check(self):
        for status in (0, 1, 2, 3):
            self.plant_status(status)
            result = self.call("scripts/bench", "--rounds", "1")
            self.assertEqual(result.returncode, status, result.stderr)
            self.assertEqual("Report: " in result.stdout, status != 2)
        self.assertIn("--rounds 1", (self.root / "words").read_text())

    def test_without_a_baseline_the_run_is_reported_alone(self):
        self.plant_status(3)
        self.plant(self.root / "no_baseline", "")
        result = self.call("scripts/bench")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout.splitlines()[-1], "^Report: .*/report.html$")
        self.assertEqual((self.root / "calls").read_text(), "check\nreport\n")


if __name__ == "__main__":
    unittest.main()
