#!/usr/bin/python3
"""The scripts of ci/ by shellcheck, and what pipelines call: scripts, options and settings that exist.

That the YAML is strict YAML without logic of its own is checked by tests/unit/suite/pipelines_test.cpp.
usage: pipelines_test.py FOLDER-OF-CHECK-JSONSCHEMA
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CI = pathlib.Path(__file__).resolve().parents[2] / "ci"
SCRIPTS = sorted(CI.glob("*.sh"))
ROOT = CI.parent
RELEASE = ROOT / ".github/workflows/release.yml"
PIPELINES = sorted(path for path in CI.glob("*/*") if path.is_file())
ENTRIES = ("nightly.sh", "gate.sh")
SCHEMAS = {"github": ["vendor.github-workflows"],
           "gitlab": ["vendor.gitlab-ci", "--data-transform", "gitlab-ci"]}


def documented(script):
    """The settings that a script documents at its head."""
    head = (CI / script).read_text(encoding="utf-8").split("set -euo pipefail")[0]
    return set(re.findall(r"^# ((?:NIGHTLY|GATE|PLUMBLINE)_[A-Z_]+)", head, re.MULTILINE))


class Scripts(unittest.TestCase):
    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is not installed")
    def test_shellcheck_has_nothing_to_say(self):
        self.assertGreaterEqual(len(SCRIPTS), 3)
        done = subprocess.run(["shellcheck", "--external-sources", *SCRIPTS], cwd=CI.parent,
                              capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_every_setting_that_a_script_reads_is_documented_at_its_head_and_the_reverse(self):
        for script in ENTRIES:
            text = (CI / script).read_text(encoding="utf-8")
            prefix = script.removesuffix(".sh").upper()
            read = set(re.findall(rf"\$\{{({prefix}_[A-Z_]+)", text))
            self.assertEqual(read, {name for name in documented(script) if name.startswith(prefix)})

    def test_help_is_the_head_of_the_script_and_does_nothing(self):
        for script in ENTRIES:
            done = subprocess.run([CI / script, "--help"], capture_output=True, encoding="utf-8")
            self.assertEqual(done.returncode, 0, done)
            self.assertIn("Exit codes:", done.stdout)
            self.assertEqual(done.stderr, "")

    def test_options_of_plumbline_that_scripts_use_exist(self):
        program = pathlib.Path(os.environ.get("PLUMBLINE_BUILD", CI.parent / "build")) / "bin/plumbline"
        if not program.is_file():
            self.skipTest(f"{program} is not built")
        for script, command in (("nightly.sh", "check"), ("gate.sh", "ab")):
            text = (CI / script).read_text(encoding="utf-8")
            used = text[text.index(f"words=({command} "):text.index("run_plumbline")]
            help_text = subprocess.run([program, command, "--help"], capture_output=True,
                                       encoding="utf-8", check=True).stdout
            flags = set(re.findall(r"(?<![\w-])(--[a-z][a-z-]+|-o)(?=[\s)])", used))
            self.assertGreaterEqual(len(flags), 4)
            for flag in flags:
                self.assertRegex(help_text, rf"(?<![\w-]){flag}(?![\w-])", f"{command} {flag}")


class Pipelines(unittest.TestCase):
    def check_schema(self, folder, text=None):
        """check-jsonschema's exit code and output for the folder's pipelines, or for a text instead of them."""
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as planted:
            planted.write(text or "")
            planted.flush()
            paths = [planted.name] if text else [path for path in PIPELINES if path.parent.name == folder]
            done = subprocess.run([PROGRAMS / "check-jsonschema", "--builtin-schema", *SCHEMAS[folder], *paths],
                                  capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    def test_github_and_gitlab_take_them_by_their_published_schemas(self):
        for folder in SCHEMAS:
            code, said = self.check_schema(folder)
            self.assertEqual(code, 0, said)

    def test_the_release_is_a_pipeline_that_calls_what_is_there(self):
        text = RELEASE.read_text(encoding="utf-8")
        code, said = self.check_schema("github", text)
        self.assertEqual(code, 0, said)
        called = set(re.findall(r"scripts/\w+", text))
        self.assertEqual(called, {"scripts/wheel", "scripts/Containerfile"})
        for path in called:
            self.assertTrue((ROOT / path).is_file(), path)

    def test_those_schemas_refuse_what_is_no_pipeline(self):
        texts = {"github": "on: [push]\njobs: {build: {runs-on: x, steps: [{uses: a/b@v1, run: c}], timeout: 3}}\n",
                 "gitlab": "build: {script: [a], artifacts: {reports: {junitt: b}, when: sometimes}}\n"}
        for folder, text in texts.items():
            code, said = self.check_schema(folder, text)
            self.assertEqual(code, 1, said)

    def test_each_calls_a_script_that_is_there_and_may_be_run(self):
        self.assertEqual({path.parent.name for path in PIPELINES},
                         {"github", "gitlab", "jenkins", "cron", "systemd"})
        callers = {path.parent.name for path in PIPELINES
                   if any(f"/{script}" in path.read_text(encoding="utf-8") for script in ENTRIES)}
        self.assertEqual(callers, {"github", "gitlab", "jenkins", "cron", "systemd"})
        for path in PIPELINES:
            for called in re.findall(r"/([\w-]+\.sh)", path.read_text(encoding="utf-8")):
                self.assertTrue(os.access(CI / called, os.X_OK), f"{path}: {called}")

    def test_settings_that_they_make_are_read_by_the_scripts(self):
        known = set().union(*(documented(script) for script in ENTRIES))
        for path in PIPELINES:
            for name in re.findall(r"\b((?:NIGHTLY|GATE)_[A-Z_]+)", path.read_text(encoding="utf-8")):
                self.assertIn(name, known, path)

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd-analyze is not installed")
    def test_systemd_takes_the_units(self):
        with tempfile.TemporaryDirectory() as folder:
            units = []
            for unit in sorted((CI / "systemd").iterdir()):
                text = unit.read_text(encoding="utf-8").replace("/srv/repository", str(CI.parent))
                units.append(pathlib.Path(folder) / unit.name)
                units[-1].write_text(text, encoding="utf-8")
            done = subprocess.run(["systemd-analyze", "verify", "--man=no", *units],
                                  capture_output=True, encoding="utf-8")
        told = [line for line in done.stderr.splitlines() if "plumbline" in line]
        self.assertEqual((done.returncode, told), (0, []), done.stderr)


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
