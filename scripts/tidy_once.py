"""Runs clang-tidy on a source, unless it found nothing before in the same text: the source, all that it includes, the
command that compiles it, and the rules.

usage: tidy_once.py CLANG_TIDY BUILD KNOWN SOURCE

KNOWN is a folder with an empty file for each text without a finding. Exit codes: those of clang-tidy.
"""

import hashlib
import json
import pathlib
import shlex
import subprocess
import sys


def command_of(build, source):
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    return next((entry for entry in entries if entry["file"] == str(source)), None)


def text_of(entry, build, root):
    """What the compiler reads, with its comments: some are for clang-tidy. None if it cannot be read."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at : at + 2]
    read = subprocess.run([*words, "-E", "-C", "-P"], cwd=entry["directory"], capture_output=True)
    named = " ".join(words).replace(str(build), "BUILD").replace(str(root), "ROOT")
    return None if read.returncode != 0 else named.encode() + read.stdout


def main(program, build, known, source):
    root = pathlib.Path(__file__).resolve().parents[1]
    build, source = pathlib.Path(build).resolve(), (root / source).resolve()
    entry = command_of(build, source)
    text = text_of(entry, build, root) if entry else None
    mark = None
    if text is not None:
        version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
        rules = (root / ".clang-tidy").read_bytes()
        mark = pathlib.Path(known) / hashlib.sha256(b"\0".join((version, rules, text))).hexdigest()
        if mark.exists():
            return 0
    done = subprocess.run([program, "-p", str(build), "--quiet", str(source)], stderr=subprocess.DEVNULL)
    if done.returncode == 0 and mark:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
