#!/usr/bin/python3
"""A run of a million visits: what does it hold, what does a visit cost, and is anything left behind?

long_run.py PLUMBLINE [--cases N] [--rounds N] [--kills N]

Measures with tests/support/fake_worker.py, which invents its times. One case in 10,000 crashes its worker. `plumbline`
itself is killed in the middle of a visit some times, and then goes on with --resume. Prints what the process holds as
the run goes on. Exit code 0 if every visit was made once, memory did not grow with the visits, and no descriptor,
process or file is left; 1 otherwise. $TMPDIR: where the run is written.
"""

import argparse
import csv
import dataclasses
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

FAKE_WORKER = pathlib.Path(__file__).resolve().parents[1] / "support" / "fake_worker.py"
# Memory is flat if it grows by no more than this between the first tenth of a process's visits and the last. The rows of
# the visits would be 1,500 bytes each.
MOST_BYTES = 50  # for a visit
SLACK_MB = 2.0  # pages that the allocator takes and keeps
MOST_FILE_BYTES = 1000  # of results.csv for a visit
FILES = {"run.json", "results.csv", "summary.csv", "worker.log"}


@dataclasses.dataclass
class Sample:
    life: int
    seconds: float
    cpu_s: float  # of plumbline itself
    memory_mb: float
    peak_mb: float
    descriptors: int
    children: int
    results_mb: float


def status_mb(pid, name):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(name)


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
        self.crashing = set(sizes[min(7_777, cases // 2) :: 10_000])

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
                    return process.wait(timeout=max(0.05, self.cases * self.rounds / 1e6))
                except subprocess.TimeoutExpired:
                    self.look(life, process.pid, time.monotonic() - begin)

    def look(self, life, pid, seconds):
        try:
            children = children_of(pid)
            self.workers.update(children)
            descriptors = len(os.listdir(f"/proc/{pid}/fd"))
            memory, peak = status_mb(pid, "VmRSS"), status_mb(pid, "VmHWM")
            used_s = cpu_s(pid)
        except (FileNotFoundError, KeyError, ProcessLookupError):
            return  # it has just ended
        results = size_mb(self.run / "results.csv")
        self.samples.append(Sample(life, seconds, used_s, memory, peak, descriptors, len(children), results))

    def measuring(self, life):
        """The samples of a process while it had a worker."""
        return [sample for sample in self.samples if sample.life == life and sample.children]

    def marks(self, life):
        """The samples at 10, 50 and 100 % of the visits of a process."""
        lived = self.measuring(life)
        first, last = lived[0].results_mb, lived[-1].results_mb
        return [next(s for s in lived if s.results_mb >= first + share * (last - first)) for share in (0.1, 0.5, 1)]

    def told_of_life(self, life, row_mb):
        """Prints what a process held; what is wrong with it."""
        found = []
        first, middle, last = self.marks(life)
        visits = (last.results_mb - first.results_mb) / row_mb
        grown_mb = last.memory_mb - first.memory_mb
        whole = self.measuring(life)
        cpu_ms = (whole[-1].cpu_s - whole[0].cpu_s) * 1e3 / max(1.0, (whole[-1].results_mb - whole[0].results_mb) / row_mb)
        end_mb = max(sample.peak_mb for sample in self.samples if sample.life == life)
        memory = " / ".join(f"{sample.memory_mb:.1f}" for sample in (first, middle, last))
        descriptors = " / ".join(str(sample.descriptors) for sample in (first, middle, last))
        children = max(sample.children for sample in whole)
        print(
            f"| {life} | {visits:,.0f} | {memory} | {grown_mb * 2**20 / max(1.0, visits):.0f} | {end_mb:.1f} | {descriptors} "
            f"| {children} | {cpu_ms:.3f} |"
        )
        if grown_mb > SLACK_MB + MOST_BYTES * visits / 2**20:
            found.append(f"memory grew from {first.memory_mb:.1f} to {last.memory_mb:.1f} MiB in {visits:,.0f} visits")
        # The next worker's pipes are open as well while it stands by.
        steady = [sample.descriptors for sample in whole[whole.index(first) :]]
        # The commonest number: between two workers there are fewer.
        begin, end = statistics.mode(steady[: len(steady) // 2 + 1]), statistics.mode(steady[len(steady) // 2 :])
        if end > begin:
            found.append(f"descriptors grew from {begin} to {end}")
        if children > 2:  # a worker, and the next one
            found.append(f"{children} processes ran at a time")
        return found

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
        row_mb = size_mb(self.run / "results.csv") / len(visits)
        print(f"\n{len(visits):,} visits, {row_mb * 1e6:.0f} bytes of results.csv each. At 10 / 50 / 100 % of a process:\n")
        print("| process | visits | memory, MiB | bytes a visit | peak, MiB | descriptors | workers | CPU a visit, ms |")
        print("|---:|---:|---:|---:|---:|---:|---:|---:|")
        for life in sorted({sample.life for sample in self.samples if sample.children}):
            found += self.told_of_life(life, row_mb)
        print()
        if row_mb * 1e6 > MOST_FILE_BYTES:
            found.append(f"results.csv has {row_mb * 1e6:.0f} bytes a visit")
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
        print(f"exit codes of plumbline: {codes}")
        if codes[-1] not in (0, 1):
            print((run.folder / f"log{len(codes) - 1}").read_text(errors="replace")[-2000:])
            return 1
        wrong = run.wrong()
        print("\n".join(wrong) or "every visit was made once, and nothing is left")
        return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
