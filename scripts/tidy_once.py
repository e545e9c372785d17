"""Runs clang-tidy on a source, unless it found nothing before in the same source, with the same included files, options of
the compiler and rules.

usage: tidy_once.py CLANG_TIDY BUILD KNOWN SOURCE

KNOWN is a folder with an empty file for each such source, named by the hash of all that. Exit codes: those of clang-tidy.
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
    """The command without folders, and the bytes of all files that it reads. None if the compiler cannot list them."""
    words = shlex.split(entry["command"])
    at = words.index("-o")
    del words[at : at + 2]
    listed = subprocess.run([*words, "-M"], cwd=entry["directory"], capture_output=True, encoding="utf-8")
    if listed.returncode != 0:
        return None
    files = listed.stdout.replace("\\\n", " ").split()[1:]  # the first is the object
    named = " ".join(words).replace(str(build), "BUILD").replace(str(root), "ROOT")
    return named.encode() + b"".join(pathlib.Path(entry["directory"], file).read_bytes() for file in files)


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
