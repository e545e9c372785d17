"""The examples of docs/capture.md work as written: the commands, the marks, the suite."""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
PAGE = (ROOT / "docs" / "capture.md").read_text()
MOST_UNTIMED = 2  # cases: on a machine that others use, a launch may look as if it had not worked


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def block(language):
    [text] = blocks(language)
    return text


class Examples(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def shell(self, line, codes=(0,)):
        path = f"{BUILD / 'bin'}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "PLUMBLINE_LOCKS": str(self.folder / "locks")}
        ran = subprocess.run(line, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True,
                             timeout=600)  # fmt: skip
        self.assertIn(ran.returncode, codes, f"{line}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def assert_timed(self, run):
        with open(run / "results.csv", newline="") as file:
            failed = {row["case"]: row["reason"] for row in csv.DictReader(file) if not row["samples"]}
        self.assertLessEqual(len(failed), MOST_UNTIMED, failed)

    def test_the_commands(self):
        shutil.copy(ROOT / "tests" / "support" / "captured" / "train.py", self.folder)
        said = ""
        commands, of_inputs = blocks("sh")
        for line in commands.splitlines():
            if " run " in line:
                self.shell(line, (0, 1))
                self.assert_timed(self.folder / line.split("#")[0].split()[-1])
            else:  # times on a busy machine scatter, and an untimed case is broken
                said = self.shell(line, (0, 1, 3) if " compare " in line else (0,))
        for shown in re.findall(r"^ *(?:training step|forward|backward|optimizer)\b", block("text"), re.MULTILINE):
            self.assertRegex(said, rf"(?m)^{shown} [+\u2212]?[\d.\u2009]+ % ± [\d.\u2009e]+ %")

        shutil.copy(ROOT / "tests" / "support" / "captured" / "lookup.py", self.folder)
        self.shell(of_inputs)
        self.assertTrue((self.folder / "lookup.safetensors").is_file())
        self.assertNotIn("uniform", (self.folder / "lookup.yaml").read_text())

    def test_the_marks(self):
        sys.path.insert(0, str(ROOT / "harness" / "python"))
        calls = []
        exec(block("python"), {"prompts": "ab", "model": lambda token: calls.append(token) or token})
        self.assertEqual(len(calls), 2 * 101)
        self.assertIsInstance(sys.modules["plumbline_gpu.capture"], types.ModuleType)

    def test_the_suite(self):
        (self.folder / "train.yaml").write_text("suite: train\n" + block("yaml"))
        [case] = json.loads(self.shell("plumbline list train.yaml --json"))
        self.assertEqual(case["op"], "aten::mm")


if __name__ == "__main__":
    unittest.main()
