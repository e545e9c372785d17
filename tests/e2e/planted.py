"""Shared by end-to-end tests: a folder for each, suites with planted truths, calls of plumbline.

The programs are those of $PLUMBLINE_BUILD, else of build/ in this tree: bin/plumbline, bin/plumbline-worker and
lib/libfaulty_ops.so, the planted operators of tests/support/faulty_ops. Nothing else of the build is needed, and from
the tree only what a test names.
"""

import csv
import ctypes
import json
import os
import pathlib
import re
import select
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))  # fault_rows
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
BIN = BUILD / "bin"
EXTENSION = BUILD / "lib" / "libfaulty_ops.so"
SKIPPED = 77  # exit code that CTest reads as "skipped"
LIMIT_S = 240  # for a command; longer means that it hangs

# Enough to measure, but so little that starting workers takes most of the time.
MEASURE = (
    "rounds: 2, blocks_min: 2, blocks_max: 4, samples: 3, budget_s: 0.01, warmup_s: 0, "
    "timeout_s: 100"
)
# For verdicts about `planted::work`. Its launches are much shorter than a time slice. So on a busy machine few samples
# of a block are disturbed, and their median is not.
MEASURE_WORK = (
    "rounds: 3, blocks_min: 4, blocks_max: 4, samples: 9, budget_s: 0.05, warmup_s: 0, "
    "timeout_s: 100"
)


# A kernel of a user whose time STEPS decides; its result is 2 x.
SCALED_KERNEL = """
extern "C" __global__ void scaled(const float* x, float* y, int n, float one) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = x[i];
  for (int k = 0; k < STEPS; ++k) sum = sum * one;
  y[i] = 2 * sum;
}
"""


def benchmark(op, sizes=(64,), **keys):
    """One entry of `benchmarks:` for an operator of the extension. `keys` are YAML texts; those of `args` and `axes`
    are added to `args:` and `sweep:`."""
    args = f'{{x: "uniform[n]"{keys.pop("args", "")}}}'
    sweep = f"{{n: {list(sizes)}, dtype: [float32]{keys.pop('axes', '')}}}"
    more = "".join(f", {key}: {value}" for key, value in keys.items())
    return f"  - {{op: 'planted::{op}', args: {args}, sweep: {sweep}{more}}}\n"


def work(sizes, microseconds=200, **keys):
    """A benchmark whose cases take this time by the clock, or more if the environment says so."""
    return benchmark("work", sizes, args=f', microseconds: "{microseconds}"', **keys)


def slowed(size):
    """Variables that slow the case of that size by half."""
    return {"PLANTED_SLOWDOWN": "1.5", "PLANTED_ELEMENTS": str(size)}


def suite_text(name, benchmarks, measure=MEASURE):
    return f"suite: {name}\nmeasure: {{{measure}}}\nbenchmarks:\n{''.join(benchmarks)}"


def healthy(name="healthy", sizes=(1000, 2000, 3000)):
    """A suite of small cases of the catalogue that needs no extension."""
    return suite_text(
        name, [f"  - {{op: relu, sweep: {{elements: {list(sizes)}, dtype: [float32]}}}}\n"]
    )


def read_rows(run):
    """Rows of a run's results.csv as dictionaries; checks that all are complete."""
    with open(pathlib.Path(run) / "results.csv", newline="", encoding="utf-8") as file:
        table = csv.DictReader(file, strict=True)
        rows = list(table)
    for row in rows:
        if None in row or None in row.values():
            raise AssertionError(f"row with other fields than the header: {row}")
    return rows


def median_of(row):
    """Of the samples of a row of results.csv, in the metric's unit. Blocks stand between `|`."""
    return statistics.median(float(number) for number in re.split("[;|]", row["samples"]) if number)


def visits(run):
    """The visits of a run as (case, round), sorted; a visit appears once for every time that it was measured."""
    return sorted(
        (row["case"], row["round"]) for row in read_rows(run) if row["part"].startswith("1/")
    )


def verdicts(comparison):
    """{case: verdict} of a comparison.json; for a case with several metrics the worst, which is first."""
    findings = json.loads(pathlib.Path(comparison).read_text(encoding="utf-8"))["findings"]
    named = {}
    for finding in findings:
        named.setdefault(finding["case"], finding["verdict"])
    return named


def edit_json(path, change):
    """Applies `change` to the content of a JSON file and writes it back."""
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content, indent=1), encoding="utf-8")


class Planted(unittest.TestCase):
    """A test with its own folder and its own lock on the device."""

    device = "cpu"

    @classmethod
    def setUpClass(cls):
        cls.class_folder = pathlib.Path(tempfile.mkdtemp(prefix="plumbline-e2e-"))
        cls.addClassCleanup(shutil.rmtree, cls.class_folder, ignore_errors=True)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=self.class_folder))

    @classmethod
    def environment(cls, **more):
        """Variables of a command: the user's, except those that would control plumbline or git."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PLUMBLINE_", "PLANTED_", "GIT_")) and name != "CI"
        }
        return {
            **inherited,
            "NO_COLOR": "1",
            "OMP_NUM_THREADS": "1",
            "PLUMBLINE_CACHE": str(BUILD / "tests" / "cache"),
            "PLUMBLINE_LOCKS": str(cls.class_folder / "locks"),
            **more,
        }

    @classmethod
    def plumbline(cls, *words, cwd=None, program=BIN / "plumbline", timeout=LIMIT_S, **variables):
        """Runs the command to its end; the result has returncode, stdout, stderr."""
        return subprocess.run(
            [str(program), *map(str, words)],
            cwd=cwd or cls.class_folder,
            env=cls.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            timeout=timeout,
        )

    @classmethod
    def run_words(cls, suite, run, *more):
        return ["run", suite, "--device", cls.device, "--extension", EXTENSION, "-o", run, *more]

    def start(self, *words, **variables):
        """Starts the command in the background; it is killed when the test ends."""
        process = subprocess.Popen(
            [str(BIN / "plumbline"), *map(str, words)],
            cwd=self.folder,
            env=self.environment(**variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def plant(self, name, text):
        """Writes a file into the test's folder."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def measured(self, suite, run, *more, code=0, **variables):
        """Runs a suite into the directory `run` of the test's folder; returns its path."""
        path = self.folder / run
        self.expect(code, self.plumbline(*self.run_words(suite, path, *more), **variables))
        return path

    @classmethod
    def measure_both(cls, text, slowed):
        """Makes the class's `suite`, a run of it, `base`, and one with those variables, `slow`."""
        cls.suite = cls.class_folder / "work.yaml"
        cls.suite.write_text(text)
        cls.base, cls.slow = cls.class_folder / "base", cls.class_folder / "slow"
        cls.expect(0, cls.plumbline(*cls.run_words(cls.suite, cls.base)))
        cls.expect(0, cls.plumbline(*cls.run_words(cls.suite, cls.slow), **slowed))

    @staticmethod
    def expect(code, done, *texts):
        """Checks that the command ended with `code` and that its messages contain the texts."""
        said = f"{done.args}\nexit code {done.returncode}\n{done.stdout}\n{done.stderr}"
        lacks = [text for text in texts if text not in done.stderr]
        if done.returncode != code or lacks or "internal error" in done.stderr:
            raise AssertionError(f"expected exit code {code} and {lacks or texts}; {said}")
        return done

    def compared(self, base, candidate, code, *more):
        """Compares; returns the command's result and {case: verdict}."""
        output = self.folder / f"comparison-{candidate.name}.json"
        done = self.plumbline("compare", base, candidate, "--trust-screen", "-o", output, *more)
        self.expect(code, done)
        return done, verdicts(output)


class Changes:
    """Waits for changes of files in a folder without polling (inotify)."""

    MODIFY, MOVED_TO, CREATE = 0x2, 0x80, 0x100

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(os.O_CLOEXEC)
        mask = self.MODIFY | self.MOVED_TO | self.CREATE
        if libc.inotify_add_watch(self.descriptor, os.fsencode(folder), mask) < 0:
            raise OSError(ctypes.get_errno(), "inotify_add_watch", str(folder))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self.descriptor)

    def wait(self, holds, process):
        """Returns when holds() is true; fails if the process ends before, or if nothing happens."""
        ended = os.pidfd_open(process.pid)
        try:
            while not holds():
                ready = select.select([self.descriptor, ended], [], [], LIMIT_S)[0]
                if self.descriptor in ready:
                    os.read(self.descriptor, 65536)
                elif ended in ready:
                    raise AssertionError(f"ended too early: {process.communicate()}")
                else:
                    raise AssertionError(f"nothing happened for {LIMIT_S} s")
        finally:
            os.close(ended)


def whole_rows(run):
    """The number of rows of an unfinished run's results; -1 if it is no run yet."""
    if not (run / "run.json").exists():
        return -1
    with open(run / "results.csv", newline="", encoding="utf-8") as file:
        return sum(1 for _ in csv.reader(file)) - 1


def children(pid):
    """Process ids of the direct children."""
    text = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(word) for word in text.split()]


def blocked_signals(pid):
    """Signals that the process's first thread has blocked."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    mask = int(next(line for line in status.splitlines() if line.startswith("SigBlk:")).split()[1], 16)
    return {number for number in range(1, 65) if mask >> (number - 1) & 1}


def ends(pids, limit_s=20):
    """Whether all these processes, watched by pidfds {pid: descriptor}, end within the limit."""
    deadline = time.monotonic() + limit_s
    left = set(pids.values())
    while left and time.monotonic() < deadline:
        left -= set(select.select(list(left), [], [], max(0, deadline - time.monotonic()))[0])
    return not left


def main():
    """Runs the calling file's tests; skips all of them if the build has no worker."""
    for path in (BIN / "plumbline", BIN / "plumbline-worker", EXTENSION):
        if not path.is_file():
            print(f"{path} is not built")
            sys.exit(SKIPPED)
    unittest.main(verbosity=2)


def no_gpu(needed=1):
    """Why nothing can be tested here, or None."""
    worker = BIN / "plumbline-worker"
    if not worker.is_file():
        return f"{worker} is not built"
    asked = subprocess.run([worker, "--devices"], capture_output=True, encoding="utf-8")
    if asked.returncode != 0:
        return f"{worker} does not start: {asked.stderr.strip()}"
    gpus = sum(item["device"].startswith("cuda") for item in json.loads(asked.stdout))
    if gpus == 0:
        return "there is no CUDA GPU"
    return None if gpus >= needed else f"there are {gpus} CUDA GPUs; {needed} are needed"


def main_on_gpu(needed=1):
    """Runs the calling file's tests if there are so many GPUs; else prints the reason and skips them."""
    reason = no_gpu(needed)
    if reason:
        print(reason)
        sys.exit(SKIPPED)
    main()
