#!/usr/bin/python3
"""A long real run with a fault every minute, over several calls: is anything lost, measured twice, or judged otherwise?

usage: long_run.py FOLDER --minutes N [--faults] [--quiet-run DIR] [--suite FILE] [--rounds N] [--device D]
                   [--every S] [--seed N]

Measures the suite into FOLDER/run. It ends before N minutes are over; called again with the same words, it goes on with
--resume. So FOLDER can be carried from machine to machine. With --faults it injects one every S seconds (default 60),
in an order that the seed decides: the worker or plumbline is killed, plumbline gets SIGTERM, the worker is stopped for
some seconds, and on a GPU another process takes the memory or keeps the GPU busy for some seconds. When the run is
complete, it is compared with the run of --quiet-run, made by a call without --faults.

Needs bin/ of a build ($PLUMBLINE_BUILD, default build/), tests/ and Python.
Exit codes: 0 complete; no visit was lost or made twice, no verdict of an unharmed case differs. 1 one was or does.
2 a mistake, or the run ended without a fault. 3 not complete yet: call it again.
"""

import argparse
import collections
import csv
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHER_PROCESS = ROOT / "tests" / "support" / "other_process.py"
PLUMBLINE = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute() / "bin" / "plumbline"
END_S = 30.0  # of the time of a call, at most: for the end of the run and the comparison
HOLD_S = 5.0  # how long the worker is stopped, the memory taken, the GPU busy
SIGNALS = {"worker killed": signal.SIGKILL, "plumbline killed": signal.SIGKILL, "plumbline terminated": signal.SIGTERM}
ORDERS = {"memory taken by another process": "take", "GPU kept busy by another process": "work"}
STOPPED = "worker stopped for some seconds"
CHANGES = {"SLOWER", "LOOKS_SLOWER", "FASTER", "LOOKS_FASTER", "BROKEN", "FIXED"}


class Mistake(Exception):
    """The run cannot go on."""


def wait(process, seconds):
    """Whether the process ended within this time."""
    try:
        process.wait(timeout=max(0.0, seconds))
        return True
    except subprocess.TimeoutExpired:
        return False


def worker_of(pid):
    """The oldest child, which is at work; others stand by. None if there is none."""
    try:
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return None
    return int(children[0]) if children else None


def send(pid, number):
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        pass  # it has just ended


class Faults:
    """One after the other, each kind once in every round of them."""

    def __init__(self, device, seed, number):
        self.seed, self.number = seed, number
        self.gpu = device.partition(":")[2] or "0"
        self.kinds = [*SIGNALS, STOPPED, *(ORDERS if device.startswith("cuda") else ())]

    def next_kind(self):
        turn, place = divmod(self.number, len(self.kinds))
        self.number += 1
        order = list(self.kinds)
        random.Random(f"{self.seed} {turn}").shuffle(order)
        return order[place]

    def inject(self, process):
        """Injects the next fault into a run and takes it back. Returns its kind; None if there was nothing to hit."""
        kind = self.next_kind()
        worker = worker_of(process.pid)
        if kind in ORDERS:
            self.hold_by_other(process, ORDERS[kind])
        elif kind.startswith("plumbline"):
            send(process.pid, SIGNALS[kind])
        elif worker is None:
            return None
        elif kind == STOPPED:
            send(worker, signal.SIGSTOP)
            wait(process, HOLD_S)
            send(worker, signal.SIGCONT)
        else:
            send(worker, SIGNALS[kind])
        return kind

    def hold_by_other(self, process, order):
        """Another process on the GPU gets the order, and ends after some seconds."""
        words = [sys.executable, OTHER_PROCESS, self.gpu]
        other = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        try:
            other.stdin.write(order + "\n")
            other.stdin.flush()
            if not other.stdout.readline():
                raise Mistake(f"the other process on the GPU did not {order}")
            wait(process, HOLD_S)
            other.communicate(timeout=END_S)
        finally:
            other.kill()
            other.wait()


def visits_of(run):
    """The complete visits of a run: {(suite, case, round, profile): {worker: digest of its rows}}, and rows that are not OK."""
    parts, failed = collections.defaultdict(list), []
    results = run / "results.csv"
    if not results.exists():
        return {}, []
    csv.field_size_limit(1 << 30)
    with open(results, newline="", encoding="utf-8", errors="replace") as file:
        for row in csv.DictReader(file):
            if None in row.values() or None in row or not row["part"]:
                continue  # torn: it is measured again
            parts[row["suite"], row["case"], row["round"], row["worker"]].append(row)
    visits = collections.defaultdict(dict)
    for (suite, case, number, worker), rows in parts.items():
        if len(rows) < int(rows[0]["part"].partition("/")[2]):
            continue
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
        visits[suite, case, number, worker.rpartition("-")[0]][worker] = digest
        failed += [row for row in rows if row["status"] != "OK" and not row["metric"]]
    return visits, failed


class LongRun:
    def __init__(self, flags):
        self.flags, self.folder = flags, flags.folder.absolute()
        self.run = self.folder / "run"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.state_path = self.folder / "state.json"
        fresh = {"number": 0, "injected": {}, "kept": {}, "calls": 0, "lives": 0, "seconds": 0.0, "lost": []}
        self.state = json.loads(self.state_path.read_text()) if self.state_path.exists() else fresh
        self.faults = Faults(flags.device, flags.seed, self.state["number"]) if flags.faults else None
        self.deadline = time.monotonic() + max(60 * flags.minutes - END_S, 45 * flags.minutes)

    def keep_state(self):
        self.state["number"] = self.faults.number if self.faults else 0
        temporary = self.state_path.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.state))
        temporary.rename(self.state_path)

    def is_complete(self):
        try:
            return json.loads((self.run / "run.json").read_text())["finished_at"] is not None
        except FileNotFoundError:
            return False

    def command(self):
        flags = self.flags
        words = [PLUMBLINE, "run", flags.suite, "-o", self.run, "--device", flags.device]
        words += ["--rounds", str(flags.rounds)] if flags.rounds else []
        return words + (["--resume", "--any-device"] if (self.run / "run.json").exists() else [])

    def live(self, log):
        """One process of plumbline, to its end or that of this call's time. -> (exit code, whether a fault came)"""
        process = subprocess.Popen(self.command(), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        next_s, has_fault = time.monotonic() + self.flags.every, False
        while not wait(process, min(next_s, self.deadline) - time.monotonic()):
            if time.monotonic() >= self.deadline:
                process.terminate()
                if not wait(process, END_S / 2):
                    process.kill()
                break
            next_s += self.flags.every
            if self.faults and (kind := self.faults.inject(process)):
                has_fault = True
                self.state["injected"][kind] = self.state["injected"].get(kind, 0) + 1
                print(f"{time.strftime('%H:%M:%S')} {kind}", flush=True)
        return process.wait(), has_fault

    def keep_visits(self):
        """Looks for kept visits that are gone or changed, and keeps what is there now."""
        visits, _ = visits_of(self.run)
        now = {" ".join((*key, worker)): digest for key, workers in visits.items() for worker, digest in workers.items()}
        lost = [name for name, digest in self.state["kept"].items() if now.get(name) != digest]
        self.state["lost"] += lost
        self.state["kept"] = now

    def go_on(self):
        """Lives until the run is complete or the time is over."""
        self.state["calls"] += not self.is_complete()
        begin = time.monotonic()
        with open(self.folder / "log", "ab") as log:
            while not self.is_complete() and time.monotonic() < self.deadline:
                code, has_fault = self.live(log)
                self.state["lives"] += 1
                self.keep_visits()
                self.keep_state()
                is_over = time.monotonic() >= self.deadline
                if not self.is_complete() and not has_fault and not is_over:
                    raise Mistake(f"plumbline ended with {code} without a fault; see {self.folder / 'log'}")
        self.state["seconds"] += time.monotonic() - begin
        self.keep_state()

    def tell(self):
        """Prints what was found. -> whether it is as it should be"""
        visits, failed = visits_of(self.run)
        twice = [key for key, workers in visits.items() if len(workers) > 1]
        state = self.state
        print(f"{len(visits)} visits in {state['seconds']:.0f} s, {state['calls']} calls, {state['lives']} processes")
        print(f"faults injected: {sum(state['injected'].values())}")
        for kind, count in sorted(state["injected"].items()):
            print(f"  {count:3} {kind}")
        print(f"visits made twice: {len(twice)}", *twice[:5])
        print(f"visits lost: {len(state['lost'])}", *state["lost"][:5])
        print(f"statuses that are not OK: {len(failed)}")
        reasons = collections.Counter((row["status"], re.sub(r"\d+", "N", row["reason"])[:120]) for row in failed)
        for (status, reason), count in reasons.most_common():
            print(f"  {count:3} {status}: {reason}")
        return not twice and not state["lost"]

    def compare(self):
        """Compares with the quiet run. -> whether all unharmed cases are as in it"""
        output = self.folder / "comparison.json"
        words = [PLUMBLINE, "compare", self.flags.quiet_run, self.run, "-o", output]
        done = subprocess.run(words, cwd=ROOT, capture_output=True, encoding="utf-8")
        if not output.exists():
            raise Mistake(f"compare ended with {done.returncode}: {done.stderr}")
        quiet, _ = visits_of(self.flags.quiet_run.absolute())
        visits, failed = visits_of(self.run)
        harmed = {row["case"] for row in failed}
        missing = [key for key in quiet if key not in visits]
        unexplained = [key for key in missing if key[1] not in harmed]
        findings = json.loads(output.read_text(encoding="utf-8"))["findings"]
        verdicts = collections.Counter(finding["verdict"] for finding in findings)
        print(f"compare ended with {done.returncode}: {(done.stdout.splitlines() or [''])[0]}")
        print("verdicts:", ", ".join(f"{count} {name}" for name, count in verdicts.most_common()))
        print(f"visits that only the quiet run has: {len(missing)}; of cases that no fault met: {len(unexplained)}")
        changed = [finding for finding in findings if finding["verdict"] in CHANGES]
        wrong = [finding for finding in changed if finding["case"] not in harmed]
        for finding in changed:
            met = "met by a fault" if finding["case"] in harmed else "WRONG: no fault met it"
            print(f"  {finding['verdict']} {finding['case']} {finding['metric']}: {met}")
        print(f"wrong verdicts: {len(wrong)}")
        return not wrong and not unexplained


def parse(words):
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain, usage=argparse.SUPPRESS)
    parser.add_argument("folder", type=pathlib.Path, help="where the run and what is known of it are kept")
    parser.add_argument("--minutes", type=float, required=True, help="of this call")
    parser.add_argument("--faults", action="store_true", help="inject faults")
    parser.add_argument("--quiet-run", type=pathlib.Path, help="a complete run of the same suite without faults")
    parser.add_argument("--suite", type=pathlib.Path, default=ROOT / "tests" / "gpu" / "suites" / "aa.yaml")
    parser.add_argument("--rounds", type=int, default=0, help="passes over the suite; default: what it says itself")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--every", type=float, default=60.0, help="seconds between faults")
    parser.add_argument("--seed", type=int, default=1)
    flags = parser.parse_args(words)
    flags.suite = flags.suite.absolute()
    return flags


def main(words=None):
    run = LongRun(parse(words))
    try:
        run.go_on()
        is_right = run.tell()
        if not run.is_complete():
            print("The run is not complete yet: call again.")
            return 3 if is_right else 1
        print("The run is complete.")
        if run.flags.quiet_run:
            is_right = run.compare() and is_right
        return 0 if is_right else 1
    except Mistake as mistake:
        print(f"error: {mistake}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
