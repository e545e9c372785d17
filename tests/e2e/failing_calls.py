"""Commands of which the n-th system call fails, and the checks of what is left.

A command runs in a copy of a planted world (failing_worlds.py) under lib/libfailing_calls.so, which lets one call fail
(tests/support/failing_calls/rules.h). Then it runs once more without. The result must be that of a world in which
nothing failed. Called as a program, this prints the tables of docs/evidence/faults.md.
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import planted
import fault_rows
from failing_worlds import COMMANDS, SHIM, call, command_named, make_world, names, say_where, shimmed, without_times

# The errors that each kind of call can give. `!`: every later call of the kind fails as well, as on a full disk.
ERRORS = {
    "read": ("EIO", "EINTR", "short"),
    "receive": ("EINTR", "short"),
    "send": ("EINTR", "short"),
    "write": ("ENOSPC", "ENOSPC!", "EINTR", "short"),
    "create": ("EMFILE", "EROFS", "EINTR"),
    "open": ("EACCES", "EINTR"),
    "close": ("EIO",),
    "stat": ("EACCES",),
    "sync": ("EIO", "EINTR"),
    "truncate": ("EIO", "EINTR"),
    "rename": ("EIO",),
    "mkdir": ("ENOSPC",),
    "unlink": ("EIO",),
    "link": ("EROFS",),
    "lock": ("EINTR",),
    "pipe": ("EMFILE",),
    "dup": ("EMFILE",),
    "fork": ("EAGAIN",),
    "thread": ("EAGAIN",),
    "memory": ("ENOMEM",),
}
REASONS = {
    "EIO": "(Input/output|disk I/O) error|malformed",
    "ENOSPC": "No space left on device|disk is full",
    "EMFILE": "Too many open files|unable to open database",  # SQLite says why its second try failed
    "EROFS": "Read-only file system|unable to open database",
    "EACCES": "Permission denied",
    "EAGAIN": "Resource temporarily unavailable",
    "ENOMEM": "memory",
}
MEASURING, JUDGING = ("run", "resume", "merge"), ("compare", "accept", "report", "site")  # commands
# Done in spite of the call: none of these may change anything.
HARMLESS = ("EINTR", "short")


@dataclasses.dataclass
class Fault:
    """One call that fails, and what came of it."""

    command: str
    kind: str
    error: str
    number: int
    call: str = ""  # function and file
    code: int = 0
    said: str = ""
    wrong: str = ""  # "" if all is well
    visits_lost: int = 0
    wrong_verdicts: int = 0


def half_written(folder):
    """What is wrong with the files of a run that was stopped somewhere; "" if it can be gone on with."""
    if not (folder / "run.json").exists():
        return ""
    json.loads((folder / "run.json").read_text())
    rows = (folder / "results.csv").read_bytes()
    whole = rows[: rows.rfind(b"\n") + 1]
    return "" if rows == whole or not json.loads((folder / "run.json").read_text())["finished_at"] else "torn row"


def calls_of(listed):
    """{kind: [function and file, …]} of a list of calls."""
    found = collections.defaultdict(list)
    for line in listed.read_text().splitlines():
        kind, _, function, path, _ = line.split("\t")
        found[kind].append(f"{function} {path}".strip())
    return found


class Worlds:
    """A planted world, copies of it, and what each command makes of one when nothing fails."""

    def __init__(self, folder, learns=None):
        self.folder = folder
        self.first = folder / "first"
        make_world(folder / "planted")
        (folder / "planted").rename(self.first)  # what its files name is not there any more
        self.made = {}
        self.calls = {}
        for command in COMMANDS:
            if command.name in (learns or [command.name]):
                self.learn(command)

    def copy(self, name):
        world = self.folder / name / "world"  # a site's title is its project's name
        shutil.rmtree(world, ignore_errors=True)
        shutil.copytree(self.first, world, symlinks=True)
        say_where(world, self.folder / "planted")
        return world

    def learn(self, command):
        """Calls the command without a fault, and counts its calls."""
        world = self.copy("learning")
        listed = self.folder / f"{command.name}.calls"
        done = call(world, command.words, **shimmed(world, FAILING_LIST=str(listed)))
        if done.returncode != 0:
            raise AssertionError(f"{command.name}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        self.calls[command.name] = calls_of(listed)
        self.made[command.name] = (self.state(command, world), names(world))
        shutil.rmtree(world)

    @staticmethod
    def state(command, world):
        return without_times(repr(command.result(world)), world)

    def faults(self, most=None):
        """All faults, or of each command, kind and error so many at equal distances."""
        for name, calls in self.calls.items():
            for kind, errors in ERRORS.items():
                count = len(calls.get(kind, []))
                numbers = range(1, count + 1)
                if most and count > most:
                    numbers = sorted({1 + i * (count - 1) // max(most - 1, 1) for i in range(most)})
                for error in errors:
                    for number in numbers:
                        if error not in HARMLESS or not is_never_interrupted(calls[kind][number - 1]):
                            yield Fault(name, kind, error, number)

    def inject(self, fault, place):
        """Lets the call fail in a world of its own and fills in what came of it."""
        command = command_named(fault.command)
        world = self.copy(place)
        listed = world.parent / "calls"
        listed.unlink(missing_ok=True)
        variables = {
            "FAILING_KIND": fault.kind,
            "FAILING_NUMBER": str(fault.number),
            "FAILING_WITH": fault.error.rstrip("!"),
            "FAILING_LIST": str(listed),
        }
        if fault.error.endswith("!"):
            variables["FAILING_EVER"] = "1"
        try:
            done = call(world, command.words, **shimmed(world, **variables))
            fault.code, fault.said = done.returncode, without_times(done.stderr, world)
            fault.call = failed_calls(listed).replace(str(world), "WORLD")
            fault.wrong = self.mistake(command, fault, world, done)
        except subprocess.TimeoutExpired:
            fault.wrong = "it hangs"
        return fault

    def inject_all(self, faults):
        """Several at once, in worlds of their own."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            done = []
            for number, fault in enumerate(pool.map(self.inject, faults, (f"w{i}" for i in range(len(faults))))):
                shutil.rmtree(self.folder / f"w{number}")
                done.append(fault)
        return done

    def mistake(self, command, fault, world, done):
        if not fault.call:
            return ""  # by chance the program made fewer calls than when they were counted
        if wrong := message_mistake(fault):
            return wrong
        if done.returncode == 0 and not is_cautious(fault):
            wrong = self.difference(command, world, "ended with 0, but ")
            fault.visits_lost = int(bool(wrong) and command.name in MEASURING)
            fault.wrong_verdicts = int(bool(wrong) and command.name in JUDGING)
            return wrong
        if command.name in ("run", "resume") and (wrong := half_written(world / command.output)):
            return f"left a {wrong}"
        before = {name: visits_of(world / name) for name in ("fresh", "half")}
        words = command.again(world) if command.again else command.words
        if words is not None:
            second = call(world, words)
            if second.returncode != 0:
                return f"second call: exit code {second.returncode}: {second.stderr.strip()}"
        for name, visits in before.items():
            if visits != visits_of(world / name)[: len(visits)]:
                fault.visits_lost = len(set(visits) - set(visits_of(world / name))) or len(visits)
                return f"what {name} had measured is lost"
        wrong = self.difference(command, world, "after a second call ", fault.code < 0)
        fault.wrong_verdicts = int(bool(wrong) and command.name in JUDGING)
        return wrong

    def difference(self, command, world, when, killed=False):
        """How the world differs from one in which nothing failed. What a killed command was writing may be left."""
        state, expected = self.made[command.name]
        found = [name for name in names(world) if not (killed and re.search(r"\.tmp\d+$", name))]
        if found != expected:
            more, less = sorted(set(found) - set(expected)), sorted(set(expected) - set(found))
            return f"{when}there is more: {more}, less: {less}"
        try:
            now = self.state(command, world)
        except (AssertionError, OSError, ValueError, sqlite3.Error) as error:
            return f"{when}the result is not whole: {error}"
        return "" if now == state else f"{when}the result differs"


def visits_of(run):
    """The visits of whole rows, in the order of the file."""
    path = run / "results.csv"
    if not (run / "run.json").exists() or not path.exists():
        return []
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1].splitlines()[1:]


def failed_calls(listed):
    """Function and file of the calls that failed, "; " between them."""
    lines = (line.split("\t") for line in listed.read_text().splitlines())
    return "; ".join(f"{function} {path}".strip() for _, _, function, path, fate in lines if fate)


def is_never_interrupted(called):
    """Folders, of which nothing is read by half either, and SQLite's locks, which do not wait."""
    function, _, path = called.partition(" ")
    return function in ("opendir", "readdir") or (function == "fcntl" and ".sqlite" in path)


def is_cautious(fault):
    """Whether the command may leave something for the next call: gc spares what it cannot read."""
    return fault.command == "gc" and fault.error != "EINTR"


def message_mistake(fault):
    """What is wrong with exit code and message."""
    said = fault.said
    if fault.code < 0:  # the allocator ends the program if it cannot serve a new thread, or main() has not begun
        return "" if fault.kind == "memory" else f"killed by signal {-fault.code}"
    for word in ("internal error", "terminate", "std::", "filesystem error", "basic_", "bad_alloc", "iostream"):
        if word in said:
            return f"says '{word}'"
    if fault.code == 0:
        return ""
    if fault.error in HARMLESS:
        return f"{fault.error} is not gone on from"
    if fault.code != 2:
        return f"exit code {fault.code}"
    error = said[said.find("error: ") :] if "error: " in said else ""
    lines = error.strip().split("\nthe run is not finished")[0].splitlines()
    if not 1 <= len(lines) <= 3:
        return f"says {len(lines)} lines"
    if not re.search(REASONS[fault.error.rstrip("!")], error):
        return "does not say why"
    return "" if names_call(fault, error) else "does not say which file or call"


# What a message may call a call without a file.
CALLED = {"fork": "start", "thread": "thread", "memory": "memory", "pipe": "pipe", "dup": "descriptor"}


def names_call(fault, error):
    """Whether the message names a file that could not be used, or its folder, or else the call."""
    for call_ in fault.call.split("; "):
        function, _, path = call_.partition(" ")
        parts = pathlib.Path(re.sub(r"\.(tmp\d*|part|next)", "", path)).parts[-2:]
        if path.endswith("tmp/printed"):
            parts = ("standard output",)
        if any(part in error for part in (*parts, function, CALLED.get(fault.kind, function))):
            return True
    return command_named(fault.command).output in error  # what cannot be made in a folder


def ends_of(faults):
    """How they ended, as cells of a table: went on, ended with 2, killed, did harm."""
    went_on, refused = (sum(fault.code == code for fault in faults) for code in (0, 2))
    killed, harmed = sum(fault.code < 0 for fault in faults), sum(bool(fault.wrong) for fault in faults)
    return f"{len(faults)} | {went_on} | {refused} | {killed} | {harmed}"


def outcome_of(fault):
    if fault.wrong:
        return f"bar not met: {fault.call}: {fault.wrong}"
    return "went on" if fault.code == 0 else "killed" if fault.code < 0 else f"ended with {fault.code}"


def hand_over(faults):
    """Rows for scripts/fault_table. A fault that no call met was not injected."""
    groups = collections.defaultdict(list)
    for fault in faults:
        if fault.call or fault.wrong:
            groups[fault.kind, fault.error, fault.command, outcome_of(fault)].append(fault)
    for (kind, error, command, happened), found in groups.items():
        fault_rows.hand_over(
            f"{kind}: {error}",
            command,
            happened,
            "exit code and message right, the next call completes the result",
            len(found),
            sum(not fault.wrong for fault in found),
            sum(fault.visits_lost for fault in found),
            sum(fault.wrong_verdicts for fault in found),
        )


def table_of(faults, calls):
    """Markdown: for each kind the calls of each command, and how the faults ended."""
    lines = [f"| kind | {' | '.join(calls)} | faults | went on | ended with 2 | killed | harm |"]
    lines.append("|---|" + "---:|" * (len(calls) + 5))
    kinds = [kind for kind in ERRORS if any(fault.kind == kind for fault in faults)]
    for kind in kinds:
        counts = " | ".join(str(len(found.get(kind, [])) or "") for found in calls.values())
        lines.append(f"| {kind} | {counts} | {ends_of([fault for fault in faults if fault.kind == kind])} |")
    sums = " | ".join(str(sum(len(found.get(kind, [])) for kind in kinds)) for found in calls.values())
    lines.append(f"| all calls | {sums} | {ends_of(faults)} |")
    of_commands = (str(sum(fault.command == name for fault in faults)) for name in calls)
    lines.append(f"| all faults | {' | '.join(of_commands)} | | | | | |")
    return "\n".join(lines)


def main():
    """Injects faults, prints what they did, and ends with 1 if one did harm."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--most", type=int, help="of a command, kind and error, only so many numbers")
    parser.add_argument("--command", action="append", help="only this command; may be repeated")
    parser.add_argument("--kind", action="append", help="only calls of this kind; may be repeated")
    flags = parser.parse_args()
    if not SHIM.is_file():
        print(f"{SHIM} is not built", file=sys.stderr)
        return planted.SKIPPED
    with tempfile.TemporaryDirectory(prefix="plumbline-faults-") as folder:
        worlds = Worlds(pathlib.Path(folder).resolve(), flags.command)
        faults = [fault for fault in worlds.faults(flags.most) if fault.kind in (flags.kind or [fault.kind])]
        done = worlds.inject_all(faults)
    hand_over(done)
    print(table_of(done, worlds.calls), end="\n\n")
    harmed = [fault for fault in done if fault.wrong]
    for fault in harmed:
        print(f"{fault.command}, {fault.kind} {fault.number}, {fault.error}, {fault.call}: {fault.wrong}")
        print(f"  ended with {fault.code}: {fault.said.strip()[-300:]!r}")
    return 1 if harmed else 0


if __name__ == "__main__":
    sys.exit(main())
