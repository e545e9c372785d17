#!/usr/bin/python3
"""How a run spends its wall time, and what a second GPU gains.

    speed.py RUN [RUN_OF_TWO_GPUS] [--markdown]

Wall time is finished_at - started_at of run.json (whole seconds), times the number of devices:
  measuring     launches, evictions and holds (`launch` of the column `spent`)
  around them   the rest of `measure`: placing and filling tensors, reading timers
  verification  float64 reference, poisoned launch, comparison, before and after
  preparation   allocating, plans
  elsewhere     outside visits: start-up of the program and its workers, calibration, results With
  two runs: the ratio of cases per second, and how far the medians moved. Exit code 1 if measuring
  is below 60 %, 500 cases would take more than 300 s on one GPU, or two GPUs give less than 1.9
  times the throughput.
"""

import argparse
import dataclasses
import datetime

import evidence
from evidence import number

PARTS = ["measuring", "around them", "verification", "preparation", "elsewhere"]
LEAST_SHARE = 0.6
LARGEST_CASE_S = 0.6
LEAST_SPEEDUP = 1.9
COMPARED = ["gpu_time_cold", "kernel_time_cold"]


@dataclasses.dataclass
class Breakdown:
    wall: float  # seconds
    devices: int
    cases: int
    visits: int
    parts: dict  # seconds of device wall time, by PARTS; the sum is wall * devices

    @property
    def share(self):
        return self.parts["measuring"] / (self.wall * self.devices)

    @property
    def cases_per_s(self):
        return self.cases / self.wall


def wall_of(info):
    """Seconds from started_at to finished_at. Throws Unusable if the run is not finished."""
    if not info.get("finished_at"):
        raise evidence.Unusable("run.json: found no finished_at; needed is a run that has finished")
    times = [info[name].replace("Z", "+00:00") for name in ("started_at", "finished_at")]
    begin, end = map(datetime.datetime.fromisoformat, times)
    return (end - begin).total_seconds()


def visits_of(run):
    """`spent` of each visit, once: {phase: seconds}."""
    rows = [row for row in run.rows if row["part"].startswith("1/") and row.get("spent")]
    return [evidence.named_numbers(row["spent"]) for row in rows]


def breakdown_of(run):
    visits = visits_of(run)
    sums = dict.fromkeys(PARTS, 0.0)
    for spent in visits:
        launch = spent.get("launch", 0.0)
        sums["measuring"] += launch
        for phase, seconds in spent.items():
            if phase == "measure":
                inside = launch + spent.get("load", 0.0) + spent.get("verify repeats", 0.0)
                sums["around them"] += seconds - inside
            elif phase.startswith("verify"):
                sums["verification"] += seconds
            elif phase != "launch":
                sums["preparation"] += seconds
    devices = len(run.devices())
    wall = wall_of(run.info)
    sums["elsewhere"] = wall * devices - sum(sums.values())
    cases = len({(row["suite"], row["case"]) for row in run.measured()})
    return Breakdown(wall, devices, cases, len(visits), sums)


def breakdown_table(names, breakdowns, markdown):
    header = ["", *names]
    rows = [
        ["GPUs", *(b.devices for b in breakdowns)],
        ["cases", *(b.cases for b in breakdowns)],
        ["visits", *(b.visits for b in breakdowns)],
        ["wall time s", *(number(b.wall, 0) for b in breakdowns)],
        ["s a case", *(number(b.wall / b.cases, 3) for b in breakdowns)],
    ]
    for part in PARTS:
        shares = [b.parts[part] / (b.wall * b.devices) for b in breakdowns]
        cells = [f"{b.parts[part]:.1f} s, {100 * s:.1f} %" for b, s in zip(breakdowns, shares)]
        rows.append([part, *cells])
    return evidence.table(header, rows, markdown)


def moved(one, two, metric):
    """|ratio - 1| of the estimates of each case in both runs."""
    first, second = evidence.estimates(one, metric), evidence.estimates(two, metric)
    return [abs(second[case].value / first[case].value - 1) for case in first if case in second]


def single_failures(breakdown):
    """Limits that a run on one GPU misses, in words."""
    found = []
    if breakdown.share < LEAST_SHARE:
        found.append(f"measuring is {100 * breakdown.share:.1f} % of the wall time, not >= 60 %")
    per_case = breakdown.wall / breakdown.cases
    if breakdown.devices == 1 and per_case > LARGEST_CASE_S:
        found.append(f"a case takes {per_case:.3f} s, not <= {LARGEST_CASE_S} s")
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    if len(options.runs) > 2:
        raise evidence.Unusable(f"found {len(options.runs)} runs; needed are one or two")

    runs = [evidence.read_run(path) for path in options.runs]
    breakdowns = [breakdown_of(run) for run in runs]
    for run, breakdown in zip(runs, breakdowns):
        print(evidence.shown_devices(run))
        if not breakdown.cases:
            raise evidence.Unusable(f"{run.path}: found no case with samples")
    print("\n" + breakdown_table([run.path.name for run in runs], breakdowns, options.markdown))
    failures = single_failures(breakdowns[0])
    if len(runs) == 2:
        speedup = breakdowns[1].cases_per_s / breakdowns[0].cases_per_s
        print(f"throughput: {speedup:.2f} times that of {runs[0].path.name}")
        if speedup < LEAST_SPEEDUP:
            failures.append(f"throughput is {speedup:.2f} times, not >= {LEAST_SPEEDUP} times")
        for metric in COMPARED:
            if changes := moved(*runs, metric):
                shares = [100 * evidence.quantile(changes, share) for share in (0.5, 0.99)]
                print(
                    f"{metric}: |ratio - 1| of {len(changes)} cases: median {shares[0]:.2f} %, "
                    f"p99 {shares[1]:.2f} %"
                )
    for failure in failures:
        print(f"short: {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    evidence.main(main)
