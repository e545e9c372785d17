"""Nights of a corpus as numbers, and slowdowns planted into them. Knows no rule."""

import copy
import csv
import dataclasses
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

csv.field_size_limit(sys.maxsize)


@dataclasses.dataclass
class Night:
    """One run. `visits` has by (case, metric) a list of visits, each a list of blocks, each a list of samples in the
    metric's unit, mostly seconds. `clocks` has a clock in Hz for each of these blocks, nan where it is unknown. Blocks
    that were set aside are left out."""

    number: int  # from 1, in the order of starts
    folder: pathlib.Path  # the run as it was recorded
    device_class: str
    visits: dict
    clocks: dict
    slower: dict  # by case: the planted factor; `visits` have it already

    def estimate(self, series):
        """The mean over visits of what Plumbline calls a visit's estimate: the mean over blocks of their medians."""
        return statistics.fmean(self.visit_means(series))

    def visit_means(self, series):
        return [statistics.fmean(map(statistics.median, blocks)) for blocks in self.visits[series]]

    def samples(self, series):
        return [sample for blocks in self.visits[series] for block in blocks for sample in block]

    def cycles(self, series):
        """Each sample times the clock of its block."""
        blocks = [block for visit in self.visits[series] for block in visit]
        clocks = [clock for visit in self.clocks[series] for clock in visit]
        return [sample * clock for block, clock in zip(blocks, clocks) for sample in block]

    def slowed(self, case, factor):
        """This night if all times of the case were `factor` times as long."""
        made = copy.copy(self)
        made.slower = {**self.slower, case: factor}
        made.visits = dict(self.visits)
        for series, visits in self.visits.items():
            if series[0] == case and is_time(series[1]):
                made.visits[series] = [[[x * factor for x in block] for block in blocks] for blocks in visits]
        return made


@dataclasses.dataclass(frozen=True)
class Planted:
    """A trial: a history in which one case is slower from one night on."""

    trial: int
    night: int
    case: str
    factor: float


def is_time(metric):
    return "_time" in metric


def listed(row, column, count):
    """The entries of a list with one for each block; empty ones if the run does not have them."""
    entries = (row.get(column) or "").split(";")
    return entries if len(entries) == count else [""] * count


def blocks_of(row):
    """Samples and clock of each block that counts."""
    blocks = [[float(x) for x in block.split(";")] for block in row["samples"].split("|")]
    clocks = [float(clock or "nan") for clock in listed(row, "block_clocks", len(blocks))]
    causes = listed(row, "block_causes", len(blocks))
    return [(block, clock) for block, clock, cause in zip(blocks, clocks, causes) if not cause]


def read_night(folder, number):
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    visits, clocks = {}, {}
    with open(folder / "results.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file, strict=True):
            blocks = blocks_of(row) if row["samples"] else []
            if blocks:
                series = row["case"], row["metric"]
                visits.setdefault(series, []).append([block for block, _ in blocks])
                clocks.setdefault(series, []).append([clock for _, clock in blocks])
    return Night(number, folder, info["environment"].get("device_class", ""), visits, clocks, {})


def read_corpus(corpus, plumbline, scratch):
    """The nights and the planted slowdowns of a corpus, which `plumbline` unpacks into the folder `scratch`."""
    folder = pathlib.Path(scratch) / "nights"
    subprocess.run(
        [plumbline, "corpus", "--unpack", corpus, "-o", folder], check=True, stdout=subprocess.DEVNULL
    )
    nights = [read_night(path, number) for number, path in enumerate(sorted(folder.iterdir()), 1)]
    with open(pathlib.Path(corpus) / "planted.csv", newline="", encoding="utf-8") as file:
        planted = [
            Planted(int(row["trial"]), int(row["night"]), row["case"], float(row["factor"]))
            for row in csv.DictReader(file, strict=True)
        ]
    return nights, planted


def write_run(night, folder):
    """Writes the night as a run directory with what is planted in it, for programs that read files."""
    shutil.copytree(night.folder, folder)
    if not night.slower:
        return
    path = folder / "results.csv"
    with open(path, newline="", encoding="utf-8") as file:
        table = csv.DictReader(file, strict=True)
        columns, rows = table.fieldnames, list(table)
    for row in rows:
        factor = night.slower.get(row["case"])
        if factor and is_time(row["metric"]):
            row["samples"] = scaled(row["samples"], factor)
            row["timers"] = scaled_timers(row.get("timers") or "", factor)
    with open(path, "w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, columns, lineterminator="\n", extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    info = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    info.pop("results", None)  # size and checksum of the recorded file
    (folder / "run.json").write_text(json.dumps(info), encoding="utf-8")


def scaled(samples, factor):
    return "|".join(
        ";".join(repr(float(x) * factor) for x in block.split(";")) for block in samples.split("|")
    )


def scaled_timers(timers, factor):
    named = (timer.split("=") for timer in timers.split(";") if timer)
    return ";".join(f"{name}={float(value) * factor!r}" for name, value in named)
