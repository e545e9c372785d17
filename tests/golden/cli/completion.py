"""What Tab completes in bash, zsh and fish: each is started on a terminal of its own, and typed into.

zsh and fish are tried where they are installed.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1)).resolve()
TIME_LIMIT_S = 60

# How a shell is started and how it reads the script. `plumbline` then prints its words, one by one.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], "source <(PROGRAM completion bash); plumbline() { printf '<%s>' \"$@\"; echo; }"),
    "zsh": (["-f", "-i"], "autoload -U compinit; compinit -u -D; source <(PROGRAM completion zsh); "
                          "plumbline() { printf '<%s>' \"$@\"; echo; }"),
    "fish": (["--no-config", "-i"], "PROGRAM completion fish | source; function plumbline; printf '<%s>' $argv; echo; end"),
}
# What is typed before Tab, and the words that stand there then. The folder holds page.html, pages/ and other/.
TYPED = {
    "wor": "worker",
    "worker b": "worker build",
    "worker build --to": "worker build --torch",
    "list --comp": "list --compile",
    "list a.yaml --comp": "list a.yaml --compile",
    "export jun": "export junit",
    "export junit page.": "export junit page.html",
    "run quick --sanitizer mem": "run quick --sanitizer memcheck",
    "profile case --tool nc": "profile case --tool ncu",
    "report --as b": "report --as before-after",
    "report --as=b": "report --as=before-after",
    "report -o page.": "report -o page.html",
    "site oth": "site other",
    "run --runs page": "run --runs pages",
    "run quick --runs oth": "run quick --runs other",
    "report run --hist": "report run --history",
    "capture -- oth": "capture -- other",
    "submit sl": "submit slurm",
    "submit slurm --part": "submit slurm --partition",
}


class Terminal:
    """A shell on a pseudo-terminal."""

    def __init__(self, shell, arguments, folder):
        self.ours, theirs = pty.openpty()
        variables = {**os.environ, "TERM": "xterm", "HOME": folder, "PS1": "", "INPUTRC": "/dev/null", "HISTFILE": ""}
        self.shell = subprocess.Popen([shell, *arguments], cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs,
                                      start_new_session=True)
        os.close(theirs)
        self.shown = ""

    def type(self, text):
        os.write(self.ours, text.encode())

    def wait_for(self, pattern):
        """The match of what is shown from now on; fails with what was shown."""
        end = time.monotonic() + TIME_LIMIT_S
        while not (found := re.search(pattern, self.shown)):
            if not select.select([self.ours], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{pattern} was not shown within {TIME_LIMIT_S} s; shown: {self.shown!r}")
            self.shown += os.read(self.ours, 65536).decode(errors="replace")
        self.shown = self.shown[found.end():]
        return found

    def close(self):
        self.shell.kill()
        self.shell.wait()
        os.close(self.ours)


def helped(*words):
    return subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True, check=True).stdout


def commands_in(text):
    """Names of the commands that a help text lists: indented lines below headings that are no flags'."""
    return re.findall(r"^  ([a-z]+)  +\S", text, re.MULTILINE)


class Completion(unittest.TestCase):
    def typed_into(self, shell):
        program = shutil.which(shell)
        if program is None:
            self.skipTest(f"{shell} is not installed")
        arguments, setup = SHELLS[shell]
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "page.html").touch()
            for name in ("pages", "other"):
                (pathlib.Path(folder) / name).mkdir()
            terminal = Terminal(program, arguments, folder)
            self.addCleanup(terminal.close)
            terminal.type(setup.replace("PROGRAM", str(PROGRAM)) + "\r")
            terminal.type("plumbline 'is ready'\r")
            terminal.wait_for("<is ready>")
            for typed, expected in TYPED.items():
                with self.subTest(typed):
                    terminal.type(f"plumbline {typed}\t 'is all'\r")
                    words = re.findall("<([^<>]*)>", terminal.wait_for(r"(?:<[^<>\n]*>)*<is all>")[0])[:-1]
                    self.assertEqual(" ".join(words).rstrip("/"), expected)  # zsh takes the slash away again

    def test_bash(self):
        self.typed_into("bash")

    def test_zsh(self):
        self.typed_into("zsh")

    def test_fish(self):
        self.typed_into("fish")

    def test_bash_knows_every_command_and_every_flag_that_help_shows(self):
        lines = ["set -u", f"source <({PROGRAM} completion bash)"]
        left, expected = [()], []
        while left:
            path = left.pop()
            text = helped(*path)
            flags = ",".join(re.findall(r"^  (-\S+)", text, re.MULTILINE)).split(",")
            below = commands_in(text) if "COMMAND" in text else []
            left += [(*path, name) for name in below]
            for cursor, words in (("-", set(flags) - {""}), ("", set(below))):
                expected.append((path, cursor, words))
                typed = " ".join(("plumbline", *path, f"'{cursor}'"))
                lines.append(f"COMP_WORDS=({typed}); COMP_CWORD={len(path) + 1}; _plumbline; echo \"${{COMPREPLY[@]}}\"")
        done = subprocess.run(["bash", "-c", "\n".join(lines)], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        self.assertGreater(len(expected), 50)
        of_every_command = expected[0][2]  # help of a command need not repeat them
        for (path, cursor, words), offered in zip(expected, done.stdout.splitlines(), strict=True):
            if cursor:
                self.assertLessEqual(words, set(offered.split()), path)
                self.assertLessEqual(set(offered.split()) - words, of_every_command, path)
            elif words:
                self.assertEqual(set(offered.split()), words, path)


if __name__ == "__main__":
    unittest.main()
