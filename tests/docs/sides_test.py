"""The commands of docs/sides.md work as written, in the repository that the page describes."""

import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGE = (ROOT / "docs" / "sides.md").read_text(encoding="utf-8")
REPOSITORY = ROOT / "tests" / "support" / "user_repository"
PLUMBLINE_YAML, COMMANDS = (re.findall(rf"^```{kind}\n(.*?)^```", PAGE, re.M | re.S) for kind in ("yaml", "sh"))
# Times on a busy machine do not concern the page, except that REPEAT=2 takes longer.
ALLOWED = {"HEAD~1 .": {0, 1, 3}, "--baseline-ref": {0, 1, 3}, "REPEAT=2": {1}}


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(REPOSITORY, self.folder / "repository")
        self.variables = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PLUMBLINE_"))},
            "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}", "HOME": str(self.folder), "NO_COLOR": "1",
            "OMP_NUM_THREADS": "1", "PLUMBLINE_LOCKS": str(self.folder / "locks"),
            "PLUMBLINE_INCLUDE": str(ROOT / "harness" / "backends" / "plugin"),
        }

    def shell(self, command, allowed):
        done = subprocess.run(
            command, shell=True, cwd=self.folder / "repository", env=self.variables, capture_output=True,
            encoding="utf-8", timeout=900,
        )
        self.assertIn(done.returncode, allowed, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def test_its_commands_end_as_it_says(self):
        who = "-c user.name=me -c user.email=me@here"
        [file], [commands] = PLUMBLINE_YAML, COMMANDS
        (self.folder / "repository" / "plumbline.yaml").write_text(file, encoding="utf-8")
        self.shell("git init -q", {0})
        for subject in ("one", "two"):
            self.shell(f"git add -A; git {who} commit -q --allow-empty -m {subject}", {0})
        self.assertEqual(len(commands.splitlines()), len(ALLOWED))
        for line, (text, allowed) in zip(commands.splitlines(), ALLOWED.items()):
            self.assertIn(text, line)
            self.shell(f"{line.split('  #')[0]} --device cpu --looks 4,12,24 --controls 0", allowed)

    def test_its_links_lead_to_files_that_exist(self):
        for link in re.findall(r"\]\(([^)#]+)", PAGE):
            self.assertTrue((ROOT / "docs" / link).exists(), link)


if __name__ == "__main__":
    unittest.main()
