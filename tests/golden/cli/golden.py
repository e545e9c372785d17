"""Runs the commands of a golden file and compares their output with the file.

A golden file is a transcript: `$ command`, what it prints on standard output and standard error together, and `[N]` if
the exit code is not 0. Lines that start with `#` are comments. Commands run with bash in a folder that holds copies of
tests/golden/cli/fixtures; $PLUMBLINE is `plumbline`. Times, processes, intervals and the folder itself are replaced by
words. `--update` writes the printed output into the file.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FAKE_WORKER = HERE.parent.parent / "support" / "fake_worker.py"
TIMEOUT_S = 120


def normalised(text, folder, program):
    markdown_folder = str(folder).replace("_", r"\_")  # as escaped in a Markdown table
    for path, word in ((str(folder), "FOLDER"), (markdown_folder, "FOLDER"), (str(program.parent), "BIN"), (str(FAKE_WORKER), "WORKER")):
        text = text.replace(path, word)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:?\d\d:?\d\dZ", "TIME", text)
    text = re.sub(r" on \d{4}-\d\d-\d\d\b", " on DATE", text)
    text = re.sub(r"about \d+ s left", "about N s left", text)
    text = re.sub(r"[\d.]+ s, \d+ % of it measuring: .*", "N s, N % of it measuring: …", text)
    # Tests of analysis/ check the width of intervals.
    text = re.sub(r"% \[[+\u2212-]?[\d.]+, [+\u2212-]?[\d.]+\]", "% [LOW, HIGH]", text)
    text = re.sub(r"slowdown of up to [\d.]+ %", "slowdown of up to N %", text)
    text = re.sub(r"differ by [\d.]+ %", "differ by N %", text)
    return re.sub(r"process \d+", "process PID", text)


def environment(folder, program):
    keep = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return keep | {
        "HOME": str(folder),
        "NO_COLOR": "1",
        "PLUMBLINE": str(program),
        "PATH": f"{program.parent}:{keep.get('PATH', '/usr/bin:/bin')}",
        "PLUMBLINE_WORKER": str(FAKE_WORKER),
        "PLUMBLINE_CACHE": str(folder / "cache"),
        "PLUMBLINE_LOCKS": str(folder / "locks"),
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }


def copy_alone(program, prefix):
    """The program in a folder of its own, without a worker beside it."""
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").symlink_to(program.parent.parent / "lib")
    (prefix / "share/plumbline").mkdir(parents=True)  # without the stock suites
    (prefix / "share/plumbline/ci").symlink_to(program.parent.parent / "share/plumbline/ci")
    return pathlib.Path(shutil.copy2(program, prefix / "bin"))


def replay(transcript, program):
    """The transcript with the present output of its commands."""
    lines = []
    with tempfile.TemporaryDirectory() as name:
        program = copy_alone(program, pathlib.Path(name).resolve() / "prefix")
        folder = pathlib.Path(name).resolve() / "work"
        shutil.copytree(HERE / "fixtures", folder)
        for line in transcript.splitlines():
            if line.startswith("#"):
                lines.append(line)
            if not line.startswith("$ "):
                continue
            lines.append(line)
            done = subprocess.run(
                ["bash", "-c", line[2:]],
                cwd=folder,
                env=environment(folder, program),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=TIMEOUT_S,
            )
            lines += normalised(done.stdout.decode(), folder, program).splitlines()
            if done.returncode != 0:
                lines.append(f"[{done.returncode}]")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.files:
        expected = path.read_text()
        found = replay(expected, arguments.program.resolve())
        if arguments.update:
            path.write_text(found)
        elif found != expected:
            failed = True
            sys.stdout.writelines(
                difflib.unified_diff(expected.splitlines(True), found.splitlines(True), str(path), "printed now")
            )
    sys.exit(failed)


if __name__ == "__main__":
    main()
