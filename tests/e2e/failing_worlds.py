"""A planted world: a folder with a suite, runs, shards, a baseline and caches, and what commands make of it.

Plumbline itself makes it, with the worker that invents its times (tests/support/fake_worker.py). So two calls give
equal results, except times of day.
"""

import dataclasses
import hashlib
import json
import os
import re
import sqlite3
import subprocess
import time

import planted

SHIM = planted.BUILD / "lib" / "libfailing_calls.so"
FAKE_WORKER = planted.ROOT / "tests" / "support" / "fake_worker.py"
SUITE = """suite: planted
measure: {rounds: 2}
benchmarks:
  - op: softmax
    sweep: {rows: [128, 256], cols: [64], dtype: [float32]}
"""
PROJECT = "baselines: accepted\nruns: runs\n"
ACCEPT = ("--author", "A", "--why", "W")
KERNEL = "cache/kernels/0123456789abcdef0123456789abcdef.kernel"  # in the cache, not used for long
DAYS_OLD = 40
LIMIT_S = 60


@dataclasses.dataclass(frozen=True)
class Command:
    name: str
    output: str
    words: tuple
    result: object  # of a world: what the command has made, without times; raises if it is incomplete
    again: object = None  # of a world: the words of the second call; the same if None


def environment(world, **more):
    names = ("PATH", "LANG", "HOME")
    return {name: os.environ[name] for name in names if name in os.environ} | {
        "NO_COLOR": "1",
        "PLUMBLINE_WORKER": str(FAKE_WORKER),
        "PLUMBLINE_CACHE": str(world / "cache"),
        "PLUMBLINE_LOCKS": str(world / "locks"),
        "TMPDIR": str(world / "tmp"),
        "GIT_CEILING_DIRECTORIES": str(world.parent),
        **more,
    }


def call(world, words, **variables):
    """Standard output is a file, as those that a full disk cuts short; the result has its text."""
    printed = world / "tmp" / "printed"
    with open(printed, "w") as output:
        done = subprocess.run(
            [planted.BIN / "plumbline", *words],
            cwd=world,
            env=environment(world, **variables),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            timeout=LIMIT_S,
        )
    done.stdout = printed.read_text(encoding="utf-8")
    return done


def shimmed(world, **more):
    """Variables under which the calls of plumbline on files of the world count."""
    return {"LD_PRELOAD": str(SHIM), "FAILING_PROGRAM": "plumbline", "FAILING_BELOW": str(world), **more}


def make_world(world):
    """The files with which every command begins."""
    (world / "tmp").mkdir(parents=True)
    (world / "suite.yaml").write_text(SUITE)
    (world / "plumbline.yaml").write_text(PROJECT)

    def do(*words, code=0, **variables):
        done = call(world, words, **variables)
        if done.returncode != code:
            raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}")

    for name in ("old", "new"):
        do("run", "suite.yaml", "-o", f"runs/{name}")
    do("accept", "runs/old", *ACCEPT)
    for shard in (1, 2):
        do("run", "suite.yaml", "--shard", f"{shard}/2", "-o", f"shards/s{shard}")
    kills = world / "tmp" / "kills"
    for name in ("half", "runs/dead"):
        kills.write_text("2")  # at the second visit
        do("run", "suite.yaml", "-o", name, code=-9, FAKE_WORKER_KILLS=str(kills))
    kills.unlink()
    do("compare", "runs/old", "runs/new", "-o", "comparison.json")
    compiled = world / KERNEL
    compiled.parent.mkdir(parents=True, exist_ok=True)
    compiled.write_text("plumbline-kernel 2\n")
    month_ago_s = time.time() - DAYS_OLD * 86400
    for path in (*(world / "runs" / "dead").rglob("*"), world / "runs" / "dead"):
        os.utime(path, (month_ago_s, month_ago_s))


def say_where(world, before):
    """Lets the files of a world that was copied from `before` name their new place."""
    for path in world.rglob("*.json*"):
        then = path.stat()
        path.write_text(path.read_text().replace(str(before), str(world)))
        os.utime(path, ns=(then.st_atime_ns, then.st_mtime_ns))
    long_ago_s = time.time() - DAYS_OLD * 86400  # copying it was a use
    os.utime(world / KERNEL, (long_ago_s, long_ago_s))


def names(world):
    """All files and folders, without those that a later run needs anyway or that differ by chance."""
    left_out = re.compile(r"worker\.log$|^locks(/|$)")
    found = (str(path.relative_to(world)) for path in world.rglob("*"))
    return sorted(name for name in found if not left_out.search(name))


def without_times(text, world):
    text = text.replace(str(world), "WORLD")
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:?\d\d(:?\d\d)?(\.\d+)?(Z| UTC)?", "TIME", text)
    text = re.sub(r"timing-\d+", "timing-PID", text)
    return re.sub(r'"stamp": "[^"]*"', "", text)  # sizes and times of the files that a record was made from


def run_state(folder):
    """Visits with their samples, and that the run is finished."""
    recorded = json.loads((folder / "run.json").read_text())
    if not recorded["finished_at"]:
        raise AssertionError(f"{folder.name} is not finished")
    rows = planted.read_rows(folder)
    return sorted((row["case"], row["round"], row["status"], row["metric"], row["samples"]) for row in rows)


def resumed(name):
    """The second call of a run: what its user would do."""

    def words(world):
        run = world / name
        begun = (run / "run.json").exists()
        if begun and json.loads((run / "run.json").read_text())["finished_at"]:
            return None
        return ("run", "suite.yaml", "-o", name, *(("--resume",) if begun else ()))

    return words


def json_state(path, *left_out):
    content = json.loads(path.read_text())
    for key in left_out:
        content.pop(key, None)
    return json.dumps(content, sort_keys=True)


def baseline_state(world):
    (rows,) = (world / "accepted").glob("*/planted.csv")
    runs = json.loads(rows.with_suffix(".json").read_text())["runs"]
    return [rows.read_text(), [run["started_at"] for run in runs]]


def site_state(world):
    pages = {}
    for path in sorted((world / "site").rglob("*")):
        if path.is_file() and path.name != ".lock":
            pages[str(path.relative_to(world))] = path.read_text(encoding="utf-8")
    return pages


def database_state(world):
    with sqlite3.connect(world / "runs.sqlite") as database:
        problem = database.execute("PRAGMA integrity_check").fetchone()[0]
        if problem != "ok":
            raise AssertionError(problem)
        return list(database.iterdump())


def gone(world):
    return [(world / name).exists() for name in ("runs/dead", KERNEL)]


COMMANDS = [
    Command("run", "fresh", ("run", "suite.yaml", "-o", "fresh"), lambda w: run_state(w / "fresh"), resumed("fresh")),
    Command("resume", "half", ("run", "suite.yaml", "-o", "half", "--resume"), lambda w: run_state(w / "half"), resumed("half")),
    Command("compare", "c.json", ("compare", "accepted", "runs/new", "-o", "c.json"), lambda w: json_state(w / "c.json", "refusal")),
    Command("accept", "accepted", ("accept", "runs/new", *ACCEPT), baseline_state),
    Command("merge", "whole", ("merge", "shards", "-o", "whole"), lambda w: run_state(w / "whole")),
    Command("site", "site", ("site", "site"), site_state),
    Command("report", "page.html", ("report", "comparison.json", "-o", "page.html"), lambda w: (w / "page.html").read_text()),
    Command("export", "runs.sqlite", ("export", "sqlite", "runs", "-o", "runs.sqlite"), database_state),
    Command("gc", "runs", ("gc", "cache", "runs"), gone),
]


def command_named(name):
    return next(command for command in COMMANDS if command.name == name)


def judged(world):
    """A checksum of what comparing a run with the baseline gives: what readers see of it."""
    done = call(world, ("compare", "accepted", "runs/new", "--json"))
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return hashlib.sha256(without_times(done.stdout, world).encode()).hexdigest()
