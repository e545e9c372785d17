#!/usr/bin/env -S python3 -S -E
"""Plays Nsight Compute, Nsight Systems or compute-sanitizer without a GPU, depending on the name it is called by.

Like them, it runs the program after its flags, passes its requests on, and writes the file that the real tool would
write. $FAKE_TOOL says what it pretends. For compute-sanitizer: a JSON list of [part of a case id, when]; `when` is `at
once`, `at the end` (of the worker) or `cut off` (no summary). For the others: a text to print.
"""

import json
import os
import pathlib
import select
import subprocess
import sys

FINDING = """\
========= Invalid __global__ write of size 4 bytes
=========     at planted_kernel(float *, long)+0x90 in planted.cu:34
=========     by thread (64,0,0) in block (3,0,0)
=========     Address 0x7f1a40000400 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f1a40000000 of size 1,024 bytes
=========
"""
FLAGS = {"--tool", "--log-file", "--target-processes", "--error-exitcode", "--print-limit", "--padding"}
FLAGS |= {"--report-api-errors", "--nvtx-include", "--set", "--import-source", "--export"}


def split(words):
    """The tool's own arguments and those of the program."""
    own = []
    while words and (words[0].startswith("--") or words[0] == "profile"):
        own.append(words.pop(0))
        if own[-1] in FLAGS:
            own.append(words.pop(0))
    return own, words


def relayed(program, see):
    """Runs the program; shows each of its requests to `see` first."""
    if "--requests" in program:
        for line in pathlib.Path(program[program.index("--requests") + 1]).read_text().splitlines():
            see(line)
        return subprocess.run(program, check=False).returncode
    os.set_inheritable(4, True)
    out, into = os.pipe()
    with os.fdopen(3) as requests:
        child = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{out} {out}<&- {into}>&-', "bash", *program], pass_fds=(4, out, into)
        )
        os.close(out)
        os.close(4)
        ended = os.pidfd_open(child.pid)
        while ended not in select.select([requests, ended], [], [])[0]:
            line = requests.readline()
            if not line:
                break
            see(line)
            os.write(into, line.encode())
        os.close(into)
    return child.wait()


def sanitize(own, program):
    log = open(own[own.index("--log-file") + 1], "w", buffering=1)  # noqa: SIM115
    planted = json.loads(os.environ.get("FAKE_TOOL", "[]"))
    log.write("========= COMPUTE-SANITIZER\n")
    found = []

    def see(line):
        case = json.loads(line).get("measure", {}).get("case", {}).get("id", "")
        for part, when in planted:
            if part in case:
                found.append(when)
                if when == "at once":
                    log.write(FINDING)

    code = relayed(program, see)
    log.write(FINDING * found.count("at the end"))
    if "cut off" not in found:
        log.write(f"========= ERROR SUMMARY: {len(found)} error{'s' * (len(found) != 1)}\n")
    return code or (int(own[own.index("--error-exitcode") + 1]) if found else 0)


def profile(name, own, program):
    print(os.environ.get("FAKE_TOOL", "==PROF== connected"), flush=True)
    code = relayed(program, lambda line: None)
    outputs = [word.removeprefix("--output=") for word in own if word.startswith("--output=")]
    output = own[own.index("--export") + 1] if name == "ncu" else outputs[0]
    pathlib.Path(output).write_text("a report\n")
    return code


def main():
    name = pathlib.Path(sys.argv[0]).name
    own, program = split(sys.argv[1:])
    sys.exit(sanitize(own, program) if name == "compute-sanitizer" else profile(name, own, program))


if __name__ == "__main__":
    main()
