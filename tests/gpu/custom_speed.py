#!/usr/bin/python3
"""This tree's kernels against the memory's bandwidth, and against LibTorch.

    custom_speed.py RUN… [--metric kernel_time_cold] [--markdown]

RUN: runs of suites/nightly and of suites/custom.yaml with the backends libtorch and custom. For each op, type and
direction:
  bandwidth  the bytes that a launch must move / its time, as a share of that run's calibrated copy bandwidth, for the
             kernels that cases have by default (plan 0) and that move 64 MB or more. Limit: 0.9, for every case.
  LibTorch   LibTorch's time / the kernel's, for every problem that LibTorch has right and the kernel was not refused.
             Limit: at most 2 % slower on 90 % of the problems; of those in nightly suites if the runs have any.
             A kernel that is wrong or crashed counts as slower.
Cases that miss a limit are listed below, and refusals with their reasons. Ops that are limited by arithmetic in any of
their cases, by the calibrated rates, are products: they are listed separately and count for neither limit. Exit code 1
if a limit is missed.
"""

import argparse
import collections
import dataclasses
import math

import crosscheck
import evidence
from evidence import number

LARGE_BYTES = 64e6
SHARE = 0.9  # of the copy bandwidth
SLOWER = 1.02  # times LibTorch's time
PART = 0.9  # of the problems
BEST_PLANS = {"heuristic", "0"}  # for a custom op: the first of its kernels
REFUSED = {"UNSUPPORTED", "EXCLUDED"}


@dataclasses.dataclass
class Result:
    """A backend's result for a problem."""

    status: str
    reason: str = ""
    seconds: float = math.nan
    bytes: float = math.nan
    flops: float = math.nan


@dataclasses.dataclass
class Problem:
    """The backends' results for one problem in one run."""

    name: str  # the case's id without its backend and plan
    suite: str
    bandwidth: float  # calibrated, bytes per second
    balance: float  # flops per byte above which arithmetic limits; nan: not calibrated
    custom: Result
    libtorch: Result | None

    @property
    def group(self):
        return crosscheck.group_of(self.name)

    @property
    def share(self):
        return self.custom.bytes / self.custom.seconds / self.bandwidth

    @property
    def ratio(self):
        """LibTorch's time / the kernel's; nan if either has no time."""
        return self.libtorch.seconds / self.custom.seconds

    @property
    def is_limited_by_arithmetic(self):
        return self.custom.flops / self.custom.bytes > self.balance if self.custom.bytes else False


def plan_of(case):
    named = dict(param.partition("=")[::2] for param in case.split("/")[2:])
    return named.get("plan", "heuristic")


def result_of(rows, estimate):
    """The result from the rows of one case. A metric that could not be measured says nothing about the case."""
    whole = next((row for row in rows if not (row["status"] == "UNSUPPORTED" and row["metric"])), rows[0])
    costs = [next((float(row[name]) for row in rows if row.get(name)), math.nan) for name in ("bytes", "flops")]
    seconds = estimate.value if estimate and whole["status"] == "OK" else math.nan
    return Result(whole["status"], whole.get("reason") or "", seconds, *costs)


def balance_of(run, problem, bandwidth):
    _, dtype, _ = crosscheck.group_of(problem)
    rate = run.calibration(f"matmul_{dtype}_flops_per_s")
    return rate / bandwidth if rate else math.nan


def problems_of(run, metric):
    """The problems that custom kernels were asked for. Throws Unusable without a calibrated bandwidth."""
    bandwidth = run.calibration("copy_bytes_per_s")
    if not bandwidth:
        raise evidence.Unusable(f"{run.path}/run.json: found no calibration.copy_bytes_per_s; needed is a run on a GPU")
    times = evidence.estimates(run, metric)
    results, suites = collections.defaultdict(dict), {}
    for case, rows in evidence.by_case(run.rows).items():
        name, backend = crosscheck.problem_of(case)
        if plan_of(case) in BEST_PLANS:
            results[name].setdefault(backend, result_of(rows, times.get(case)))
            suites.setdefault(name, rows[0]["suite"])
    return [
        Problem(name, suites[name], bandwidth, balance_of(run, name, bandwidth), each["custom"], each.get("libtorch"))
        for name, each in results.items()
        if "custom" in each
    ]


def products_of(problems):
    """Ops that arithmetic limits in at least one of their cases."""
    return {problem.group[0] for problem in problems if problem.is_limited_by_arithmetic}


def large(problems):
    """Those that move 64 MB or more and have a time."""
    return [p for p in problems if p.custom.bytes >= LARGE_BYTES and not math.isnan(p.share)]


def compared(problems):
    """Problems for which LibTorch has a time and the kernel was not refused."""
    return [p for p in problems if p.libtorch and not math.isnan(p.libtorch.seconds) and p.custom.status not in REFUSED]


def is_close(problem):
    """At most 2 % slower than LibTorch; false for a kernel without a time."""
    return problem.ratio >= 1 / SLOWER


def grouped(problems):
    found = collections.defaultdict(list)
    for problem in problems:
        found[problem.group].append(problem)
    return sorted(found.items())


def spread(values):
    values = [value for value in values if not math.isnan(value)]
    return f"{number(min(values), 2)}–{number(max(values), 2)}" if values else "–"


def bandwidth_table(problems, markdown):
    rows = []
    for group, each in grouped(large(problems)):
        shares = [problem.share for problem in each]
        rows.append([" ".join(group), len(each), spread(shares), sum(share >= SHARE for share in shares)])
    return evidence.table(["64 MB and more", "cases", "share of bandwidth", f"{SHARE} or more"], rows, markdown)


def libtorch_table(problems, markdown):
    rows = []
    for group, each in grouped(compared(problems)):
        ratios = [problem.ratio for problem in each]
        mean = crosscheck.geometric_mean(ratios)
        rows.append([" ".join(group), len(each), spread(ratios), number(mean, 2), sum(map(is_close, each))])
    return evidence.table(["", "problems", "times as fast", "mean", "at most 2 % slower"], rows, markdown)


def refusals_of(problems):
    """{(op, reason): problems} that LibTorch has right and no kernel takes."""
    refused = [p for p in problems if p.custom.status in REFUSED and p.libtorch and p.libtorch.status == "OK"]
    return collections.Counter((p.group[0], p.custom.reason) for p in refused)


def untimed(problems):
    """Kernels that were neither refused nor timed: wrong, crashed, or without the metric."""
    return [p for p in problems if p.custom.status not in REFUSED and math.isnan(p.custom.seconds)]


def print_section(problems, markdown):
    print(bandwidth_table(problems, markdown))
    for problem in large(problems):
        if problem.share < SHARE:
            size = f"{problem.custom.bytes / 1e6:.0f} MB in {1e6 * problem.custom.seconds:.1f} us"
            print(f"below {SHARE}: {number(problem.share, 3)} {problem.name} ({size}, {problem.suite})")
    print("\n" + libtorch_table(problems, markdown))
    for problem in compared(problems):
        if not is_close(problem):
            print(f"slower than LibTorch: {number(problem.ratio, 3)} {problem.name} ({problem.suite})")
    for problem in untimed(problems):
        print(f"no time: {problem.name}: {problem.custom.status} {problem.custom.reason}".rstrip())
    print()


def part_line(where, problems):
    close = sum(map(is_close, problems))
    percent = number(100 * close / len(problems), 1)
    return f"{where}: {close} of {len(problems)} problems ({percent} %) at most 2 % slower than LibTorch"


def verdict(problems):
    """Prints how many meet the limits; returns whether both are met. Throws Unusable if nothing can be judged."""
    judged, wide = compared(problems), large(problems)
    if not judged or not wide:
        raise evidence.Unusable("found no kernel beside LibTorch, or none that moves 64 MB; needed are both backends")
    enough = sum(problem.share >= SHARE for problem in wide)
    print(f"bandwidth: {enough} of {len(wide)} cases of 64 MB and more reach {SHARE} of the copy bandwidth")
    nightly = [problem for problem in judged if problem.suite.startswith("nightly")]
    others = [problem for problem in judged if not problem.suite.startswith("nightly")]
    for where, part in (("nightly suites", nightly), ("other suites", others)):
        if part:
            print(part_line(where, part))
    bar = nightly or others
    return enough == len(wide) and sum(map(is_close, bar)) >= PART * len(bar)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", nargs="+")
    parser.add_argument("--metric", default="kernel_time_cold")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    problems = []
    for path in options.run:
        run = evidence.read_run(path)
        problems += problems_of(run, options.metric)
        bandwidth = 1e-9 * run.calibration("copy_bytes_per_s")
        print(f"{evidence.shown_devices(run)}; calibrated copy bandwidth {bandwidth:.0f} GB/s")
    products = products_of(problems)
    bound_by_memory = [problem for problem in problems if problem.group[0] not in products]
    print("\nBound by memory\n")
    print_section(bound_by_memory, options.markdown)
    if products:
        print("Products, which have no part in the bars\n")
        print_section([problem for problem in problems if problem.group[0] in products], options.markdown)
    for (op, reason), count in sorted(refusals_of(problems).items()):
        print(f"refused: {count} of {op}: {reason}")
    return 0 if verdict(bound_by_memory) else 1


if __name__ == "__main__":
    evidence.main(main)
