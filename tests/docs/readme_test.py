"""The README's examples are run as they stand: its suite, its commands, its links."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
README = (ROOT / "README.md").read_text()
SECTION = README.split("## A suite in ten lines")[1].split("\n## ")[0]


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


class Readme(unittest.TestCase):
    def test_its_suite_is_measured_compared_and_reported_by_its_commands(self):
        [suite] = blocks(SECTION, "yaml")
        [commands] = blocks(SECTION, "sh")
        self.assertLessEqual(len(suite.splitlines()), 10)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "attention.yaml").write_text(suite)
            env = {**os.environ, "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}"}
            for line in commands.splitlines():
                ran = subprocess.run(
                    line, shell=True, cwd=folder, env=env, capture_output=True, text=True, timeout=300
                )
                # What a busy machine's times look like is not the README's affair.
                allowed = {0, 1, 3} if " compare " in line else {0}
                self.assertIn(ran.returncode, allowed, f"{line}\n{ran.stdout}{ran.stderr}")
            comparison = json.loads((pathlib.Path(folder) / "comparison.json").read_text())
            self.assertEqual(len({f["case"] for f in comparison["findings"]}), 5)
            page = (pathlib.Path(folder) / "report.html").read_text()
            self.assertIn("aten::topk/libtorch/cols=1000", page)

    def test_its_links_lead_to_files_that_exist(self):
        for name in ("README.md", "harness/README.md"):
            for link in re.findall(r"\]\(([^)#]+)\)", (ROOT / name).read_text()):
                if "://" not in link:
                    self.assertTrue((ROOT / name).parent.joinpath(link).exists(), f"{name}: {link}")

    def test_every_flag_that_it_names_exists(self):
        helps = "".join(
            subprocess.run([BUILD / "bin/plumbline", command, "--help"], capture_output=True, text=True).stdout
            for command in (
                "list", "run", "profile", "compare", "check", "ab", "history", "variance", "report", "accept",
                "acknowledge", "quarantine", "doctor", "ops", "calibrate", "stats", "schema", "import",
                "export", "devices",
            )
        )
        foreign = {"--install", "--prefix"}  # CMake's
        for flag in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", README)) - foreign:
            if not flag.startswith("--benchmark"):
                self.assertIn(flag, helps)


if __name__ == "__main__":
    unittest.main()
