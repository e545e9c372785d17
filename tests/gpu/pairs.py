#!/usr/bin/python3
"""Identical builds in pairs: what `plumbline ab` finds when there is no difference.

    pairs.py SHARED [OWN…] [--markdown]

Takes folders of `plumbline ab TREE TREE SUITE…` (or their comparison.json): the first with shared
placements, further ones, for the table, with --own-placements. Prints for each, by metric and
length of the launches: median, p99 and largest |difference|, called changes, SAME, and alarms of
the controls. Exit code 1 if the first misses the limits for launches >= 10 us, 0.1 % and 0.5 %, or
if a change was called in any.
"""

import argparse
import collections
import dataclasses
import json
import pathlib

import evidence
from evidence import number

LONG_S = 10e-6
MEDIAN_BAR, P99_BAR = 0.001, 0.005
SCOPES = (">= 10 us", "< 10 us")
CALLED = ("SLOWER", "FASTER", "BROKEN", "FIXED")


@dataclasses.dataclass
class Group:
    sizes: list  # |difference| of each case
    verdicts: collections.Counter

    @property
    def median(self):
        return evidence.quantile(self.sizes, 0.5)

    @property
    def p99(self):
        return evidence.quantile(self.sizes, 0.99)


def read_comparison(path):
    """comparison.json in a folder, or the file itself. Throws Unusable."""
    path = pathlib.Path(path)
    path = path / "comparison.json" if path.is_dir() else path
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise evidence.Unusable(f"{path}: {error}; needed is what plumbline ab wrote") from error
    if not any(finding.get("pairs") for finding in content.get("findings", [])):
        raise evidence.Unusable(f"{path}: found no case that was measured in pairs")
    return content


def groups_of(comparison):
    """{(metric, scope): Group} of the findings measured in pairs."""
    found = collections.defaultdict(lambda: Group([], collections.Counter()))
    for finding in comparison["findings"]:
        if not finding.get("pairs") or finding.get("change") is None:
            continue
        group = found[finding["metric"], SCOPES[finding["baseline"] < LONG_S]]
        group.sizes.append(abs(finding["change"]))
        group.verdicts[finding["verdict"]] += 1
    return dict(sorted(found.items()))


def called(comparison):
    return [f for f in comparison["findings"] if f["verdict"] in CALLED]


def meets_bars(groups):
    long_ones = [group for (_, scope), group in groups.items() if scope == SCOPES[0]]
    return bool(long_ones) and all(
        group.median <= MEDIAN_BAR and group.p99 <= P99_BAR for group in long_ones
    )


def rows_of(name, comparison):
    for (metric, scope), group in groups_of(comparison).items():
        sizes = [number(100 * value, 3) for value in (group.median, group.p99, max(group.sizes))]
        changes = sum(group.verdicts[verdict] for verdict in CALLED)
        same = number(100 * group.verdicts["SAME"] / len(group.sizes), 0)
        yield [name, metric, scope, len(group.sizes), *sizes, changes, same]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    comparisons = [read_comparison(folder) for folder in options.folders]
    header = ["pairs of identical builds", "metric", "launches", "cases", "median %", "p99 %"]
    header += ["largest %", "called", "SAME %"]
    rows = [
        row
        for folder, comparison in zip(options.folders, comparisons)
        for row in rows_of(pathlib.Path(folder).name, comparison)
    ]
    print(evidence.table(header, rows, options.markdown))
    alarms = [finding for comparison in comparisons for finding in called(comparison)]
    for finding in alarms:
        print(f"called {finding['verdict']}: {finding['case']}, {finding['metric']}")
    return 0 if meets_bars(groups_of(comparisons[0])) and not alarms else 1


if __name__ == "__main__":
    evidence.main(main)
