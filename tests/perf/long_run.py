#!/usr/bin/python3
"""A run of a million visits: what does it hold, and is anything left behind?

long_run.py PLUMBLINE [--cases N] [--rounds N] [--kills N]

Measures with tests/support/fake_worker.py, which invents its times. One case in 10,000 crashes its worker. `plumbline`
itself is killed in the middle of a visit some times, and then goes on with --resume. Prints what the process holds as
the run goes on. Exit code 0 if every visit was made once, memory grew by no more than the results that are kept until
the end of the run, and no descriptor, process or file is left; 1 otherwise. $TMPDIR: a disk syncs each visit; in memory
(/dev/shm) a million visits take minutes.
"""

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

FAKE_WORKER = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_worker.py"
SAMPLE_S = 1.0
MOST_KB = 2.0  # of memory for a visit: its row
FILES = {"run.json", "results.csv", "summary.csv", "worker.log"}


@dataclasses.dataclass
class Sample:
    life: int
    seconds: float
    memory_mb: float
    descriptors: int
    children: int
    results_mb: float


def status_mb(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def children_of(pid):
    return pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def size_mb(path):
    return path.stat().st_size / 1e6 if path.exists() else 0.0


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class LongRun:
    def __init__(self, plumbline, folder, cases, rounds, kills):
        self.plumbline, self.folder, self.cases, self.rounds = plumbline, folder, cases, rounds
        self.kills_file = folder / "kills"
        every = cases * rounds // (kills + 1)
        self.kills_file.write_text(" ".join([str(every)] * kills))
        self.samples, self.workers = [], set()
        sizes = list(range(1_000_000, 1_000_000 + cases))
        suite = {
            "suite": "long",
            "measure": {"rounds": rounds, "timeout_s": 100},
            "benchmarks": [{"op": "relu", "sweep": {"elements": sizes, "dtype": ["float32"]}}],
        }
        (folder / "long.yaml").write_text(json.dumps(suite))  # JSON is YAML
        self.crashing = {size for size in sizes if size % 10_000 == 7_777}

    @property
    def run(self):
        return self.folder / "run"

    def environment(self):
        fates = [[f"elements={size}", "segfault"] for size in sorted(self.crashing)]
        return os.environ | {"FAKE_WORKER": json.dumps(fates), "FAKE_WORKER_KILLS": str(self.kills_file)}

    def live(self, life):
        """One process of plumbline, to its end. Returns its exit code."""
        command = [self.plumbline, "run", self.folder / "long.yaml", "--worker", FAKE_WORKER, "--device", "cpu", "-o", self.run]
        command += ["--resume"] if life else []
        begin = time.monotonic()
        with open(self.folder / f"log{life}", "wb") as log:
            process = subprocess.Popen(command, env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
            while True:
                try:
                    return process.wait(timeout=SAMPLE_S)
                except subprocess.TimeoutExpired:
                    self.look(life, process.pid, time.monotonic() - begin)

    def look(self, life, pid, seconds):
        try:
            children = children_of(pid)
            self.workers.update(children)
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
            memory = status_mb(pid, "VmRSS")
        except (FileNotFoundError, KeyError, ProcessLookupError):
            return  # it has just ended
        self.samples.append(Sample(life, seconds, memory, descriptors, len(children), size_mb(self.run / "results.csv")))

    def row_mb(self, visits):
        return size_mb(self.run / "results.csv") / visits

    def wrong(self):
        """What does not hold, as sentences."""
        found = []
        visits = {}
        with open(self.run / "results.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                key = (row["case"], row["round"])
                visits[key] = visits.get(key, set()) | {(row["worker"], row["status"])}
        crashed = sum(1 for case, _ in visits if int(case.split("elements=")[1].split("/")[0]) in self.crashing)
        expected = (self.cases - len(self.crashing)) * self.rounds + len(self.crashing)  # a crashed case is not visited again
        if len(visits) != expected:
            found.append(f"{len(visits):,} visits are recorded; expected {expected:,}")
        if any(len(kinds) > 1 for kinds in visits.values()):
            found.append("a visit was made twice")
        if crashed != len(self.crashing):
            found.append(f"{crashed} visits crashed; planted were {len(self.crashing)}")
        for life in sorted({sample.life for sample in self.samples}):
            lived = [sample for sample in self.samples if sample.life == life and sample.children]
            first, last = lived[len(lived) // 10], lived[-1]
            rows = (last.results_mb - first.results_mb) / self.row_mb(len(visits))
            grown_kb = (last.memory_mb - first.memory_mb) * 1e3 / max(1.0, rows)
            print(f"life {life}: {grown_kb:.2f} kB of memory for a visit")
            if grown_kb > MOST_KB:
                found.append(f"memory grew from {first.memory_mb:.0f} to {last.memory_mb:.0f} MB in {rows:,.0f} visits")
            if last.descriptors > first.descriptors:
                found.append(f"descriptors grew from {first.descriptors} to {last.descriptors}")
        alive = [pid for pid in self.workers if is_alive(pid)]
        if alive:
            found.append(f"processes are left: {' '.join(alive)}")
        left = sorted({path.name for path in self.run.iterdir()} - FILES)
        if left:
            found.append(f"files are left in the run's folder: {' '.join(left)}")
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plumbline", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--kills", type=int, default=3)
    flags = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="plumbline-long-") as folder:
        run = LongRun(flags.plumbline.resolve(), pathlib.Path(folder), flags.cases, flags.rounds, flags.kills)
        codes = []
        while not codes or codes[-1] < 0:
            codes.append(run.live(len(codes)))
        print("| life | s | memory, MB | descriptors | workers | results.csv, MB |\n|---:|---:|---:|---:|---:|---:|")
        for sample in run.samples[:: max(1, len(run.samples) // 24)]:
            print(f"| {sample.life} | {sample.seconds:.0f} | {sample.memory_mb:.0f} | {sample.descriptors} | {sample.children} | {sample.results_mb:.0f} |")
        print(f"\nexit codes of plumbline: {codes}")
        if codes[-1] not in (0, 1):
            print((run.folder / f"log{len(codes) - 1}").read_text(errors="replace")[-2000:])
            return 1
        wrong = run.wrong()
        print("\n".join(wrong) or "every visit was made once, and nothing is left")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
