"""The example of "A suite in Python" in docs/python.md works as written: the file and its commands."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
SECTION = (ROOT / "docs" / "python.md").read_text().split("\n## A suite in Python\n")[1].split("\n## ")[0]
CASES = {f"add/custom/dtype={dtype}/n={n}" for dtype in ("float32", "bfloat16") for n in (65536, 262144)}
QUICK = {" run ": "--device cpu --rounds 1 -o run", " ab ": "--device cpu --looks 3 --controls 0 -o pairs"}


def block(language):
    [text] = re.findall(rf"^```{language}\n(.*?)^```", SECTION, re.MULTILINE | re.DOTALL)
    return text


class SuiteInPython(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def shell(self, line, codes=(0,)):
        path = f"{BUILD / 'bin'}:{os.environ['PATH']}"
        who = {f"GIT_{role}_{key}": "user" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
        environment = os.environ | who | {"PATH": path, "PLUMBLINE_PYTHON": sys.executable,
                                          "PLUMBLINE_LOCKS": str(self.folder / "locks")}  # fmt: skip
        ran = subprocess.run(line, shell=True, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600)
        self.assertIn(ran.returncode, codes, f"{line}\n{ran.stdout}{ran.stderr}")
        return ran.stdout

    def test_the_file_and_its_commands(self):
        (self.folder / "ops.py").write_text(block("python"))
        self.shell("git init --quiet && git add ops.py && git commit --quiet --message one")
        commands = block("sh").splitlines()
        self.assertEqual([line.split()[1] for line in commands], ["list", "run", "ab"])
        for line in commands:
            command, _, comment = line.partition("#")
            flags = next((flags for word, flags in QUICK.items() if word in command), "")
            said = self.shell(f"{command.rstrip()} {flags}", (0, 3) if " ab " in line else (0,))  # times on a busy
                                                                                                  # machine scatter
            if comment.startswith(" add/"):
                self.assertEqual(set(said.split()), CASES)
                self.assertIn(comment.strip().split(",")[0], CASES)
        self.assertEqual((self.folder / "run" / "results.csv").read_text().count(",OK,,wall_time,"), len(CASES))

    def test_its_keywords_are_those_of_the_decorator(self):
        sys.path.insert(0, str(ROOT / "harness" / "python"))
        import inspect

        import plumbline_gpu as pl

        named = {name for row in re.findall(r"^\| (`.*?) \|", SECTION, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
        self.assertEqual(named, set(inspect.signature(pl.case).parameters))


if __name__ == "__main__":
    unittest.main()
