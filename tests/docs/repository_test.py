"""The files at the root that GitHub shows: the changelog is of this version, issue forms are what GitHub takes, and what
they name is there. Arguments: the folder that holds check-jsonschema."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PROGRAMS = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None
FORMS = ROOT / ".github" / "ISSUE_TEMPLATE"
KINDS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Measurement revisions"}


def text_of(path):
    return (ROOT / path).read_text(encoding="utf-8")


class Changelog(unittest.TestCase):
    def setUp(self):
        self.versions = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.M)
        self.newest = text_of("CHANGELOG.md").split("\n## ")[1]

    def test_its_newest_version_is_this_one(self):
        version = re.search(r"project\(plumbline VERSION ([\d.]+)", text_of("CMakeLists.txt"))[1]
        self.assertRegex(self.versions[0], rf"^\[{re.escape(version)}\] - (unreleased|\d{{4}}-\d\d-\d\d)$")
        said = subprocess.run([BUILD / "bin/plumbline", "version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"plumbline {version}\n")

    def test_its_headings_are_those_of_keep_a_changelog(self):
        for version in self.versions[1:]:
            self.assertRegex(version, r"^\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d$")
        self.assertLessEqual(set(re.findall(r"^### (.*)$", text_of("CHANGELOG.md"), re.M)), KINDS)

    def test_it_names_the_measurement_revision(self):
        revision = re.search(r"kMeasurementRevision = (\d+)", text_of("harness/core/run/run.h"))[1]
        self.assertIn(f"Measurement revision {revision}.", self.newest)
        self.assertEqual(re.findall(r"^\| (\d+) \|", text_of("CHANGELOG.md"), re.M)[-1], revision)


class Forms(unittest.TestCase):
    def check_schema(self, name, *paths):
        words = [PROGRAMS / "check-jsonschema", "--builtin-schema", f"vendor.github-issue-{name}", *paths]
        done = subprocess.run(words, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_github_takes_them(self):
        forms = sorted(set(FORMS.glob("*.yml")) - {FORMS / "config.yml"})
        self.assertGreaterEqual(len(forms), 3)
        for name, paths in (("forms", forms), ("config", [FORMS / "config.yml"])):
            code, said = self.check_schema(name, *paths)
            self.assertEqual(code, 0, said)

    def test_a_form_that_github_refuses_is_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as planted:
            planted.write(text_of(FORMS / "bug.yml").replace("type: textarea", "type: textfield"))
            planted.flush()
            self.assertEqual(self.check_schema("forms", planted.name)[0], 1)

    def test_what_they_ask_for_is_there(self):
        for path in [*FORMS.glob("*.yml"), ROOT / ".github/pull_request_template.md"]:
            for command, flags in re.findall(r"plumbline ([a-z]+)((?: --[a-z-]+)*)", text_of(path)):
                known = subprocess.run([BUILD / "bin/plumbline", command, "--help"], capture_output=True, text=True)
                self.assertEqual(known.returncode, 0, f"{path.name}: plumbline {command}")
                for flag in flags.split():
                    self.assertIn(f" {flag} ", known.stdout, f"{path.name}: plumbline {command} {flag}")


class Scripts(unittest.TestCase):
    def test_scripts_that_pages_at_the_root_name_are_there_and_may_be_run(self):
        for page in ROOT.glob("*.md"):
            for script in re.findall(r"(?<![\w/])(?:scripts|\.ci|ci)/[\w.]+\b(?!\*)", page.read_text(encoding="utf-8")):
                self.assertTrue((ROOT / script).exists(), f"{page.name}: {script}")


if __name__ == "__main__":
    unittest.main()
