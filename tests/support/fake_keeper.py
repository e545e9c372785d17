#!/usr/bin/python3
"""A clock keeper that behaves as its clock argument says, and records what it was told in a file.

Started as `plumbline-worker --lock-clocks CLOCK --device UUID --marker FILE`; FILE.diary gets a
line when the clock is locked and one when its input has ended."""

import os
import signal
import sys

flags = dict(zip(sys.argv[1::2], sys.argv[2::2]))
clock, marker = flags["--lock-clocks"], flags["--marker"]


def note(line):
    with open(marker + ".diary", "a", encoding="utf-8") as diary:
        diary.write(line + "\n")


if clock == "refuse":
    sys.exit("plumbline-worker: cannot lock the SM clock: Insufficient Permissions")
if clock == "old":
    print("usage: something older", flush=True)
    sys.exit(0)
if clock == "silent":
    sys.stdin.read()
    note("end")
    sys.exit(0)
print("a library says hello\n[1]", file=sys.stderr, flush=True)
note(f"locked {flags['--device']}")
answer = '{"locked": {"observed_hz": 1.5e9, "left_behind": "process 6"}}'
if clock == "unknown":
    answer = '{"locked": {"observed_hz": null}}'
print(answer, flush=True)
if clock == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
sys.stdin.read()
note("end")
if clock == "stuck":
    sys.exit("plumbline-worker: cannot restore the SM clock: GPU is lost")
print('{"restored": true}')
