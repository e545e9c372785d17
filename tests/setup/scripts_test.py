#!/usr/bin/python3
"""Runs copies of scripts/ in temporary checkouts, with planted systems, tools and results.

Nothing is downloaded or installed: a finished set-up is planted in the cache, or the set-up fails
before it comes to that. That the packages themselves install is shown by scripts/test having run.
"""

import shutil
import unittest

from checkout import SCRIPTS, Checkout


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
        self.expect_refusal(result, "not enough disk space", "12 GB", "2 GB")

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
        """The packages that a script asks apt for if nothing is installed."""
        self.plant_tool("dpkg-query", "exit 1")
        self.plant_tool("id", "echo 1000")
        self.plant_tool("sudo", "exit 1")
        return self.call(f"scripts/{script}").stderr.split()

    def test_only_tests_need_a_browser_googletest_and_scipy(self):
        of_tests = {"bubblewrap", "chromium", "libgtest-dev", "python3-pytest", "python3-scipy", "shellcheck", "slurm-wlm"}
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
                self.assertRegex(package, r"^[a-z0-9-]+==[0-9a-z.]+ .*--hash=sha256:[0-9a-f]{64}")


# Names the files that differ, like --dry-run, and formats by emptying the file.
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
        self.expect_refusal(refused, str(self.root), "is not a git checkout", "clone")

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
