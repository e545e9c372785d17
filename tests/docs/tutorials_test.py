"""Follows the tutorials literally, each in an empty folder with an empty cache. Files are written as shown and commands
run as shown. Exit codes must be those that a comment above the block names (else 0), and the output must be as shown.

In shown output `…` stands for any text. In lines with measured times, only the words are compared.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
BLOCK = re.compile(r'^(?:<!-- exit (.*?) -->\n)?```(\w+)(?: title="([^"]+)")?\n(.*?)^```', re.MULTILINE | re.DOTALL)
JUDGES = ("plumbline", "$SCRIPTS")  # commands whose exit code a comment names; all others end with 0
DONE = "tutorial-step"
LOOKS = "--looks 6,12,24"  # instead of six pairs: more on a machine that others use
# Times on a busy machine may be unresolved; that does not concern the page.
MEASURED = re.compile(r"[-+−]?\d[\d.,e+-]*|[µm]s\b|\[|\]|%|, too noisy|\s+")


def words(line):
    """The part of a line that does not depend on times, hashes and folders."""
    line = re.sub(r"([\d.]+) to [\d.]+ %", r"\1 %", line.replace("×", ""))
    return MEASURED.sub("", re.sub(r"\b[0-9a-f]{10}\b", "", line))


def script_of(page):
    """One shell script with the whole page's commands; it prints a line with the exit code after each."""
    lines, expected = ["exec 2>&1"], []
    for codes, language, title, body in BLOCK.findall(page):
        if title:
            lines.append(f"mkdir -p $(dirname {title}); cat > {title} <<'END_OF_FILE'\n{body}END_OF_FILE")
        elif language == "sh":
            for command in body.replace("\\\n", " ").splitlines():
                lines += [command.replace("--looks 6", LOOKS), f'echo "{DONE} $?"']
                judges = codes and command.startswith(JUDGES) and "compared.txt" not in command.split(" > ")[0]
                expected.append((command, {int(code) for code in codes.split(" or ")} if judges else {0}))
    return "\n".join(lines) + "\n", expected


class Tutorials(unittest.TestCase):
    def follow(self, name):
        page = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
        script, expected = script_of(page)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "home").mkdir()
            (pathlib.Path(folder) / "work").mkdir()
            kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PLUMBLINE_", "NIGHTLY_", "GATE_"))}
            kept.pop("COLUMNS", None)
            done = subprocess.run(
                ["bash", "-c", script], cwd=f"{folder}/work", capture_output=True, encoding="utf-8", timeout=580,
                env=kept | {
                    "PATH": f"{BUILD / 'bin'}:{os.environ['PATH']}", "HOME": f"{folder}/home", "NO_COLOR": "1",
                    "PLUMBLINE_LOCKS": f"{folder}/locks", "PLUMBLINE_PYTHON": sys.executable, "LANG": "C.UTF-8",
                },
            )
        printed = done.stdout.replace("\N{NO-BREAK SPACE}", " ")
        codes = [int(code) for code in re.findall(rf"^{DONE} (\d+)$", done.stdout, re.MULTILINE)]
        for (command, allowed), code in zip(expected, codes):
            self.assertIn(code, allowed, f"{command}\n{done.stdout}")
        self.assertEqual(len(codes), len(expected), done.stdout + done.stderr)
        self.assertGreater(len(codes), 5)
        return page, printed

    def assert_shown(self, page, printed, but=()):
        """Every line of the page's output was printed, except for parts that depend on times."""
        lines = [words(line) for line in printed.splitlines()]
        for codes, language, title, body in BLOCK.findall(page):
            if language != "text" or title or body.startswith(("plumbline ", "17 2 ")):
                continue
            for line in filter(lambda line: line.strip() and not line.strip().startswith("…"), body.splitlines()):
                if any(word in line for word in but):
                    continue
                pattern = re.compile(".*".join(re.escape(words(part)) for part in line.split("…")))
                self.assertTrue(any(pattern.search(printed_line) for printed_line in lines), f"{line}\n{printed}")

    def test_every_night(self):
        page, printed = self.follow("nightly")
        self.assert_shown(page, printed, but=("Cannot tell", "Measure both", "plumbline check", "UNRESOLVED"))
        self.assertRegex(printed, r"gate: Slower: our_norm is \d+( to \d+)? % slower")

    def test_a_kernel_in_the_making(self):
        page, printed = self.follow("kernel")
        self.assert_shown(page, printed, but=("also changed",))
        self.assertIn("Broken: our_norm gives wrong results.", printed)

    def test_dividing_a_run(self):
        page, printed = self.follow("../how-to/shards")
        self.assertIn("3 shards: 3 done", printed)
        self.assertIn("3 shards with 6 cases on 1 device", printed)
        self.assertIn("2 shards with 6 cases on 1 device", printed)

    def test_comparing_gpus(self):
        page, printed = self.follow("gpus")
        self.assert_shown(page, printed)
        for line in ("NVIDIA H200 is 6.3 % faster than NVIDIA H100 80GB HBM3 on average", "×0.698", "Card B is 1.84 times as fast"):
            self.assertIn(line, page)
            self.assertIn(line, printed)


if __name__ == "__main__":
    unittest.main()
