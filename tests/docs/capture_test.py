"""The examples of docs/capture.md work as written: the commands, the marks, the suite."""

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
        ran = subprocess.run(line, shell=True, cwd=self.folder, env=os.environ | {"PATH": path}, capture_output=True,
                             text=True, timeout=600)  # fmt: skip
        self.assertIn(ran.returncode, codes, f"{line}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def test_the_commands(self):
        shutil.copy(ROOT / "tests" / "support" / "captured" / "train.py", self.folder)
        said = ""
        commands, of_inputs = blocks("sh")
        for line in commands.splitlines():
            said = self.shell(line, (0, 3) if " compare " in line else (0,))  # times on a busy machine scatter
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
