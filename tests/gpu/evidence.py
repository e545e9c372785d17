"""Shared by the evidence scripts: reads runs and peers' times, makes estimates, prints tables.

Reads the formats of harness/store/README.md. Uses neither CUDA nor LibTorch, and only Python's
standard library, so that its parts are tested on planted data without a GPU.
"""

import collections
import csv
import dataclasses
import json
import math
import pathlib
import statistics
import sys

csv.field_size_limit(1 << 30)  # a row holds all samples of a visit

# Two-sided 95 % quantiles of Student's t by degrees of freedom; the last one stands for more than
# 30.
T_95 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160]
T_95 += [2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056]
T_95 += [2.052, 2.048, 2.045, 2.042, 1.980]

SPIN = "plumbline_spin::spin/"  # start of the ids of clock-counted kernels


class Unusable(Exception):
    """An unusable input: what was found, where, and what is needed. main() prints it and ends with
    exit code 2."""


@dataclasses.dataclass
class Run:
    path: pathlib.Path
    info: dict
    rows: list  # of results.csv, as dictionaries of text

    def environment(self, name):
        return self.info.get("environment", {}).get(name, "")

    def devices(self):
        """UUIDs of the devices that measured, sorted."""
        found = {row["device"] for row in self.rows if row.get("device")}
        return sorted(found) or [self.environment("device_uuid")]

    def calibration(self, name):
        """Number from run.json's `calibration`, else the median over the workers', else None."""
        if name in self.info.get("calibration", {}):
            return self.info["calibration"][name]
        measured = [
            worker["calibration"][name]
            for worker in self.info.get("workers", [])
            if name in worker.get("calibration", {})
        ]
        return statistics.median(measured) if measured else None

    def measured(self, metric=None):
        """Rows with samples of that metric."""
        return [
            row
            for row in self.rows
            if row["samples"] and (metric is None or row["metric"] == metric)
        ]


def read_run(path):
    """A run directory. Throws Unusable if it is no run or has no result."""
    path = pathlib.Path(path)
    try:
        info = json.loads((path / "run.json").read_text(encoding="utf-8"))
        with open(path / "results.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    except (OSError, ValueError) as error:
        raise Unusable(f"{path}: {error}; needed is the directory of a run") from error
    rows = [row for row in rows if None not in row.values()]  # a torn last row
    if not rows:
        raise Unusable(f"{path}/results.csv: found no row; needed are results of cases")
    return Run(path, info, rows)


def numbers(text, separator=";"):
    return [float(field) for field in text.split(separator)] if text else []


def named_numbers(text):
    """{name: number} of "name=number;…"."""
    parts = (part.rpartition("=") for part in (text or "").split(";") if part)
    return {name: float(value) for name, _, value in parts}


def counting_blocks(row):
    """Samples of a row's blocks, without blocks set aside for a cause outside the case."""
    blocks = [numbers(block) for block in row["samples"].split("|")]
    causes = row.get("block_causes") or ""
    causes = causes.split(";") if causes else [""] * len(blocks)
    if len(causes) != len(blocks):
        raise Unusable(
            f"{row['case']}, {row['metric']}, round {row['round']}: found {len(causes)} "
            f"block_causes for {len(blocks)} blocks"
        )
    return [block for block, cause in zip(blocks, causes) if not cause]


@dataclasses.dataclass
class Estimate:
    """Median within a block, mean over the blocks of a visit, geometric mean over the visits."""

    value: float
    visits: list  # the visits' means, in the metric's unit
    block_variance: float  # of log(value), estimated from the blocks within the visits

    def visit_variance(self):
        """Variance of log(value) from the spread of the visits; nan with fewer than two."""
        if len(self.visits) < 2:
            return math.nan
        return statistics.variance(map(math.log, self.visits)) / len(self.visits)

    def half_width(self):
        """Half width of the 95 % interval of log(value), a fraction: from the visits, else from the
        blocks."""
        variance = self.visit_variance()
        if math.isnan(variance):
            return 1.96 * math.sqrt(self.block_variance)
        return T_95[min(len(self.visits) - 1, len(T_95)) - 1] * math.sqrt(variance)


def estimate_of(rows):
    """The Estimate from the visits of one case × metric, or None if no block counts."""
    visits, block_variances = [], []
    for row in rows:
        medians = [statistics.median(block) for block in counting_blocks(row)]
        if not medians:
            continue
        mean = statistics.fmean(medians)
        if not mean > 0:
            return None  # no logarithm: shorter than the timer's floor
        visits.append(mean)
        spread = statistics.variance(medians) if len(medians) > 1 else 0.0
        block_variances.append(spread / mean**2 / len(medians))
    if not visits:
        return None
    value = math.exp(statistics.fmean(map(math.log, visits)))
    return Estimate(value, visits, sum(block_variances) / len(visits) ** 2)


def by_case(rows):
    """{case: its rows}, in the order in which cases first appear."""
    found = collections.defaultdict(list)
    for row in rows:
        found[row["case"]].append(row)
    return dict(found)


def estimates(run, metric):
    """{case: Estimate} for a metric of a run, without cases that have none."""
    found = {case: estimate_of(rows) for case, rows in by_case(run.measured(metric)).items()}
    return {case: estimate for case, estimate in found.items() if estimate}


def read_peers(paths):
    """{case: {peer: median over the processes}} from CSVs of peers.py, and their devices' UUIDs."""
    values, devices = collections.defaultdict(lambda: collections.defaultdict(list)), set()
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                values[row["case"]][row["peer"]].append(float(row["seconds"]))
                devices.add(row.get("device") or "unknown")
    medians = {
        case: {peer: statistics.median(each) for peer, each in by_peer.items()}
        for case, by_peer in values.items()
    }
    return medians, sorted(devices)


def quantile(values, probability):
    """Quantile by linear interpolation between order statistics (type 7), as in Plumbline."""
    ordered = sorted(values)
    place = (len(ordered) - 1) * probability
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def number(value, digits):
    """Fixed digits; an unknown number is a dash."""
    if value is None or math.isnan(value):
        return "–"
    return f"{round(value, digits) + 0.0:.{digits}f}"  # + 0.0: no "-0.00"


def table(header, rows, markdown=False):
    """A table as text: the first column left-aligned, the others right-aligned."""
    cells = [[str(cell) for cell in row] for row in [header, *rows]]
    if markdown:
        lines = [
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in cells
        ]
        lines.insert(1, "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|")
        return "\n".join(lines) + "\n"
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = []
    for row in cells:
        first, *others = (
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        )
        lines.append("  ".join([first, *others]).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines) + "\n"


def shown_devices(run):
    return f"{run.path.name}: {run.environment('device_model')} {', '.join(run.devices())}"


def main(command):
    """Ends the process with what `command` returns; an Unusable input is exit code 2."""
    try:
        sys.exit(command())
    except Unusable as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
