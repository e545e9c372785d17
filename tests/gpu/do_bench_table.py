#!/usr/bin/env python3
"""`pl.do_bench` beside triton.testing.do_bench, CUPTI and the worker, on the callables of callables.py.

    do_bench_table.py -o FOLDER [--processes 4] [--rounds 2] [--markdown]    measures, then prints the table
    do_bench_table.py --from FOLDER [--markdown]                             prints it again

Each process measures every callable by all three. CUPTI's time is the span from the start of the first kernel to the
end of the last one, from a trace of torch.profiler: launches on a held stream, each after the L2 cache was emptied by reads.
`plumbline run` measures the same callables as `op: python`. `pl.compare` is tried on 20 pairs that differ by 2 % and on 20
that do not differ.

Needs a GPU, torch, triton, bin/ and lib/ of the build in $PLUMBLINE_BUILD (default build/), and plumbline_gpu with an
extension module for this Python: installed, or in python/ of the build. Exit codes: 0 the bars are met, 1 one is missed,
2 a package is missing or the input cannot be used, 77 there is no GPU.
"""

import argparse
import dataclasses
import importlib.util
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys

import evidence

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("PLUMBLINE_BUILD") or ROOT / "build").absolute()
OURS, TRITONS = "plumbline", "triton"
WALL_BAR = 2.0  # times Triton's
TAIL_BAR = 0.5  # of Triton's p99


@dataclasses.dataclass
class Line:
    """One callable. Times are seconds; those of processes are lists."""

    name: str
    times: dict  # by tool, the mean of a call of do_bench, as it returns it by default
    walls: dict  # by tool, duration of the call
    spans: list  # CUPTI
    kernels: int
    gap: float  # between kernels, sum of a launch
    event_excess: float  # events around a traced launch, minus its span, minus the same of an empty kernel
    host: float  # the enqueue of a launch
    is_held: bool  # whether pl.do_bench held the stream
    worker: float | None = None

    @property
    def ours(self):
        return statistics.median(self.times[OURS])

    @property
    def span(self):
        return statistics.median(self.spans)

    @property
    def distance(self):
        return self.ours - self.span

    @property
    def bar(self):
        return max(0.5e-6, 0.01 * self.span)

    @property
    def is_near(self):
        return abs(self.distance) <= self.bar


def cause_of(line):
    """Why pl.do_bench and CUPTI differ by more than the bar: the first part that is large enough."""
    if line.is_near:
        return ""
    if not line.is_held:
        return "the callable waits for the GPU, so it is not held: the host's time is in it"
    if line.host > line.ours and line.distance > 0 and line.kernels > 1:
        bound = f"the enqueue takes {1e6 * line.host:.1f} µs, longer than the kernels; "
    else:
        bound = ""
    if line.kernels > 1 and 0 < -line.distance <= line.gap:
        return f"{bound}tracing widens the gaps of {line.kernels} kernels ({1e6 * line.gap:.1f} µs in all)"
    spread = max(max(times) - min(times) for times in (line.times[OURS], line.spans))
    if spread >= abs(line.distance):
        return f"{bound}processes differ by {1e6 * spread:.2f} µs"
    if line.event_excess * line.distance > 0 and abs(line.event_excess) >= abs(line.distance) / 2:
        return f"{bound}events add {1e6 * line.event_excess:+.2f} µs more to it than to an empty kernel"
    rest = line.distance - line.event_excess
    return f"{bound}traced launches take {-1e6 * rest:+.2f} µs, and events add {1e6 * line.event_excess:+.2f} µs"


def differences(lists):
    """|a / b − 1| of all pairs of processes, of all callables."""
    return [abs(a / b - 1) for times in lists for a, b in itertools.combinations(times, 2)]


def quantiles(lists):
    """Median and 99th percentile of the differences of processes."""
    found = differences(lists)
    return evidence.quantile(found, 0.5), evidence.quantile(found, 0.99)


def lines_of(processes, worker):
    """The Lines from what processes wrote ({name: facts} each) and the worker's {name: seconds}."""
    lines = []
    for name in processes[0]:
        facts = [process[name] for process in processes]
        middle = {key: statistics.median(fact[key] for fact in facts) for key in ("gap", "event_excess", "host")}
        lines.append(Line(
            name,
            {tool: [fact["times"][tool] for fact in facts] for tool in (OURS, TRITONS)},
            {tool: [fact["walls"][tool] for fact in facts] for tool in (OURS, TRITONS)},
            [fact["span"] for fact in facts],
            round(statistics.median(fact["kernels"] for fact in facts)),
            is_held=all(fact["is_held"] for fact in facts), worker=worker.get(name), **middle,
        ))  # fmt: skip
    return lines


def callables_table(lines, markdown):
    header = ["callable", "CUPTI µs", "pl.do_bench", "difference", "Triton's", "worker", "kernels", "gaps µs", "host µs",
              "cause of a difference beyond the bar"]  # fmt: skip
    rows = []
    for line in lines:
        tritons = statistics.median(line.times[TRITONS])
        worker = None if line.worker is None else 1e6 * line.worker
        rows.append([line.name, *(evidence.number(1e6 * value, 2) for value in (line.span, line.ours, line.distance, tritons)),
                     evidence.number(worker, 2), line.kernels, evidence.number(1e6 * line.gap, 2),
                     evidence.number(1e6 * line.host, 1), cause_of(line)])  # fmt: skip
    return evidence.table(header, rows, markdown)


def shares(pair):
    return " and ".join(f"{100 * value:.2f} %" for value in pair)


def judged(lines, compared):
    """(words, whether the bar is met) for each bar."""
    ours, tritons = (quantiles([line.times[tool] for line in lines]) for tool in (OURS, TRITONS))
    words = f"processes differ (median and p99): pl.do_bench {shares(ours)}, Triton's {shares(tritons)}"
    yield words, ours[1] <= TAIL_BAR * tritons[1]
    near = sum(line.is_near for line in lines)
    yield f"within max(0.5 µs, 1 %) of CUPTI: {near} of {len(lines)}", near == len(lines)
    walls = [statistics.median(wall for line in lines for wall in line.walls[tool]) for tool in (OURS, TRITONS)]
    ratio = walls[0] / walls[1]
    yield f"a call takes (median) {walls[0]:.3f} s, Triton's {walls[1]:.3f} s, ratio {ratio:.2f}", ratio <= WALL_BAR
    yield worker_judged(lines, ours[1])
    for kind, expected, allowed in (
        ("slower", "2 % more work: SLOWER", {"SLOWER"}),
        ("same", "the same work: neither SLOWER nor FASTER", {"SAME", "UNRESOLVED"}),
    ):
        right = sum(verdict in allowed for verdict in compared[kind])
        yield f"pl.compare, {expected}: {right} of {len(compared[kind])}", right == len(compared[kind]) > 0


def worker_judged(lines, tail):
    """The bar: the worker's time differs by no more than p99 of the differences of processes, for every callable."""
    found = {line.name: line.ours / line.worker - 1 for line in lines if line.worker}
    far = {name: change for name, change in found.items() if abs(change) > tail}
    middle = statistics.median(map(abs, found.values())) if found else float("nan")
    words = (f"the worker's time of the same callable: {len(found)} of {len(lines)}, median difference {100 * middle:.2f} %, "
             f"{len(far)} beyond p99 of the processes")  # fmt: skip
    words += "".join(f"; {name} {100 * change:+.2f} %" for name, change in far.items())
    return words, len(found) == len(lines) and not far


def show(folder, markdown):
    """Prints the tables of a folder; returns the exit code."""
    try:
        processes = [json.loads(path.read_text()) for path in sorted(folder.glob("process-*.json"))]
        compared = json.loads((folder / "compare.json").read_text())
    except (OSError, ValueError) as error:
        raise evidence.Unusable(f"{folder}: {error}; needed is what do_bench_table.py -o wrote") from error
    if len(processes) < 2:
        raise evidence.Unusable(f"{folder}: found {len(processes)} process-*.json; needed are 2 or more")
    lines = lines_of(processes, worker_times(folder / "worker"))
    print(callables_table(lines, markdown))
    bars = list(judged(lines, compared))
    for words, is_met in bars:
        print(f"{'- ' if markdown else ''}{words}{'' if is_met else '  [bar missed]'}")
    return 0 if all(is_met for _, is_met in bars) else 1


def worker_times(path):
    """{callable: seconds} of a run of the suite; empty without a run."""
    if not (path / "run.json").exists():
        return {}
    rows = {}
    for row in evidence.read_run(path).measured("gpu_time_cold"):
        rows.setdefault(row["op"], []).append(row)
    estimates = {op: evidence.estimate_of(of_op) for op, of_op in rows.items()}
    return {op: estimate.value for op, estimate in estimates.items() if estimate}


def run_all(folder, processes, rounds):
    """Measures everything in processes of its own, one after the other."""
    import callables

    folder.mkdir(parents=True, exist_ok=True)
    jobs = [("times", folder / f"process-{number}.json") for number in range(processes)]
    for job in [*jobs, ("compare", folder / "compare.json")]:
        print(f"measures {job[1].name}", file=sys.stderr)
        done = subprocess.run([sys.executable, pathlib.Path(__file__).with_name("do_bench_process.py"), *job])
        if done.returncode:
            raise evidence.Unusable(f"{job[1]}: its process ended with {done.returncode}; what it printed says why")
    suite = folder / "callables.yaml"
    suite.write_text(callables.suite_text())
    (folder / "callables.py").write_text(pathlib.Path(callables.__file__).read_text())
    words = ["run", suite, "-o", folder / "worker", "--device", "cuda", "--rounds", str(rounds)]
    words += ["--metrics", "gpu_time", "--cache", "cold"]
    ran = subprocess.run([BUILD / "bin" / "plumbline", *words], env=os.environ | {"PLUMBLINE_PYTHON": sys.executable})
    if ran.returncode:
        print(f"plumbline run ended with {ran.returncode}", file=sys.stderr)


def missing():
    """What keeps this from measuring: (words, exit code), or None."""
    if absent := [name for name in ("torch", "triton", "plumbline_gpu") if importlib.util.find_spec(name) is None]:
        return f"error: found no {' and no '.join(absent)} in {sys.executable}", 2
    import torch

    return None if torch.cuda.is_available() else ("there is no CUDA GPU", 77)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=pathlib.Path, help="an empty or new folder for what is measured")
    parser.add_argument("--from", dest="source", type=pathlib.Path, help="such a folder: nothing is measured")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=2, help="of plumbline run")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if options.source:
        return show(options.source, options.markdown)
    if not options.output or options.processes < 2:
        parser.error("name a folder with -o or --from; --processes is 2 or more")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(BUILD / "python")]))
    sys.path.append(str(BUILD / "python"))
    if reason := missing():
        print(reason[0], file=sys.stderr)
        return reason[1]
    run_all(options.output.absolute(), options.processes, options.rounds)
    return show(options.output.absolute(), options.markdown)


if __name__ == "__main__":
    evidence.main(main)
