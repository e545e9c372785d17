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
SCRIPTS = sorted([*CI.glob("*.sh"), *CI.glob("github/*.sh"), *CI.glob("slurm/*.sh")])
ROOT = CI.parent
RELEASE = ROOT / ".github/workflows/release.yml"
FOLDERS = ("github", "gitlab", "jenkins", "buildkite", "cron", "systemd")
PIPELINES = sorted(path for folder in FOLDERS for path in (CI / folder).rglob("*")
                   if path.is_file() and path.suffix != ".sh" and path.name != "action.yml")
ACTIONS = sorted(CI.rglob("action.yml"))
EXAMPLES = sorted((ROOT / "docs/examples/.github/workflows").glob("*.yml"))
PROGRAMS = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else None
ENTRIES = ("nightly.sh", "gate.sh", "judge.sh")
SCHEMAS = {"github": ["vendor.github-workflows"], "buildkite": ["vendor.buildkite"], "actions": ["vendor.github-actions"],
           "examples": ["vendor.github-workflows"], "gitlab": ["vendor.gitlab-ci", "--data-transform", "gitlab-ci"]}


def documented(script):
    """The settings that a script documents at its head."""
    head = (CI / script).read_text(encoding="utf-8").split("set -euo pipefail")[0]
    return set(re.findall(r"^# ((?:NIGHTLY|GATE|JUDGE|PLUMBLINE)_[A-Z_]+)", head, re.MULTILINE))


def component():
    """GitLab's component as it is included, with the defaults of its inputs."""
    header, rest = (CI / "gitlab/plumbline.gitlab-ci.yml").read_text(encoding="utf-8").split("\n---\n")
    defaults = dict(re.findall(r"^    ([a-z]+):\n(?:      .*\n)*?      default: (.*)$", header, re.MULTILINE))
    return re.sub(r"\$\[\[ inputs\.([a-z]+) \]\]", lambda found: defaults[found[1]], rest)


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
            paths = [planted.name] if text else {"actions": ACTIONS, "examples": EXAMPLES}.get(folder) or [
                path for path in PIPELINES if path.parent.name == folder]
            done = subprocess.run([PROGRAMS / "check-jsonschema", "--builtin-schema", *SCHEMAS[folder], *paths],
                                  capture_output=True, encoding="utf-8")
        return done.returncode, done.stdout + done.stderr

    def test_their_programs_take_them_by_their_published_schemas(self):
        for folder in SCHEMAS:
            code, said = self.check_schema(folder, component() if folder == "gitlab" else None)
            self.assertEqual(code, 0, said)

    def test_the_component_uses_the_inputs_that_it_declares(self):
        text = (CI / "gitlab/plumbline.gitlab-ci.yml").read_text(encoding="utf-8")
        header, rest = text.split("\n---\n")
        declared = re.findall(r"^    ([a-z]+):$", header, re.MULTILINE)
        self.assertEqual(set(re.findall(r"\$\[\[ inputs\.([a-z]+) \]\]", rest)), set(declared))
        self.assertEqual(rest.count("$[["), len(re.findall(r"\$\[\[ inputs\.[a-z]+ \]\]", rest)))

    def test_actions_use_the_inputs_that_they_declare(self):
        for path in ACTIONS:
            text = path.read_text(encoding="utf-8")
            declared = re.findall(r"^  ([a-z-]+):$", text.split("\ninputs:\n")[1].split("\noutputs:\n")[0], re.MULTILINE)
            self.assertEqual(set(re.findall(r"inputs\.([a-z-]+)", text)), set(declared), path)

    def test_no_step_has_an_expression_in_its_commands(self):
        """What somebody wrote would be part of the command; variables of the environment are not."""
        for path in [*ACTIONS, *EXAMPLES]:
            for command in re.findall(r"^ *(?:- )?run: (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE):
                self.assertNotIn("${{", command, path)

    @unittest.skipUnless(shutil.which("actionlint") or (PROGRAMS and (PROGRAMS / "actionlint").exists()), "actionlint is not installed")
    def test_actionlint_has_nothing_to_say(self):
        program = shutil.which("actionlint") or PROGRAMS / "actionlint"
        # It does not know the actions of OWNER, nor labels of runners that somebody else has.
        words = [program, "-no-color", "-ignore", 'label "(gpu|h100|h200)" is unknown', *EXAMPLES, *sorted(CI.glob("github/*.yml"))]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_release_is_a_pipeline_that_calls_what_is_there(self):
        text = RELEASE.read_text(encoding="utf-8")
        code, said = self.check_schema("github", text)
        self.assertEqual(code, 0, said)
        called = set(re.findall(r"scripts/\w+", text))
        self.assertEqual(called, {"scripts/wheel", "scripts/Containerfile"})
        for path in called:
            self.assertTrue((ROOT / path).is_file(), path)

    def test_a_release_signs_all_that_it_publishes_before_it_does(self):
        publish = RELEASE.read_text(encoding="utf-8").split("\n  publish:\n")[1]
        self.assertRegex(publish, r"attestations: write\n")
        signs = re.search(r"uses: actions/attest-build-provenance@v\d+\n\s+with:\n\s+subject-path: (\S+)\n", publish)
        releases = re.search(r'gh release create "\$GITHUB_REF_NAME" (\S+)', publish)
        self.assertEqual(signs[1], releases[1])
        self.assertLess(signs.start(), releases.start())

    def test_those_schemas_refuse_what_is_no_pipeline(self):
        texts = {"github": "on: [push]\njobs: {build: {runs-on: x, steps: [{uses: a/b@v1, run: c}], timeout: 3}}\n",
                 "gitlab": "build: {script: [a], artifacts: {reports: {junitt: b}, when: sometimes}}\n"}
        for folder, text in texts.items():
            code, said = self.check_schema(folder, text)
            self.assertEqual(code, 1, said)

    def test_each_calls_a_script_that_is_there_and_may_be_run(self):
        callers = {path.relative_to(CI).parts[0] for path in PIPELINES
                   if any(f"/{script}" in path.read_text(encoding="utf-8") for script in ENTRIES)}
        self.assertEqual(callers, set(FOLDERS))
        for path in PIPELINES:
            for called in re.findall(r"/([\w-]+\.(?:sh|py))\b", path.read_text(encoding="utf-8")):
                self.assertTrue(os.access(CI / called, os.X_OK), f"{path}: {called}")
        for path in ACTIONS:
            for called in re.findall(r'"\$GITHUB_ACTION_PATH/([^"]+)"', path.read_text(encoding="utf-8")):
                self.assertTrue(os.access(path.parent / called, os.X_OK), f"{path}: {called}")

    def test_settings_that_they_make_are_read_by_the_scripts(self):
        known = set().union(*(documented(script) for script in ENTRIES))
        for path in PIPELINES:
            for name in re.findall(r"\b((?:NIGHTLY|GATE|JUDGE)_[A-Z_]+)\b", path.read_text(encoding="utf-8")):
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
    sys.argv.pop(1)
    unittest.main()
