#!/usr/bin/python3
"""What dirty lines cost: launches after an eviction of L2 by writes against one by reads.

    eviction.py RUN [--metric gpu_time] [--markdown]

RUN: a run with --cache cold,cold_write. After an eviction by writes, the timed launch must also
write back the cache's dirty lines. The table shows how much that adds to each case.
"""

import argparse
import dataclasses
import math
import statistics

import evidence
from evidence import number


@dataclasses.dataclass
class Cost:
    case: str
    by_reads: float
    by_writes: float
    half_width: float  # of the 95 % interval of the difference, seconds

    @property
    def difference(self):
        return self.by_writes - self.by_reads


def costs_of(run, metric):
    """A Cost per case that has both, largest first."""
    reads = evidence.estimates(run, f"{metric}_cold")
    writes = evidence.estimates(run, f"{metric}_cold_write")
    found = []
    for case, read in reads.items():
        if case in writes:
            write = writes[case]
            widths = [e.value * e.half_width() for e in (read, write)]
            found.append(Cost(case, read.value, write.value, math.hypot(*widths)))
    return sorted(found, key=lambda cost: -cost.difference)


def report(found, metric, markdown):
    header = [metric, "by reads us", "by writes us", "difference us", "95 % ±us", "%"]
    rows = []
    for c in found:
        times = [number(1e6 * t, 2) for t in (c.by_reads, c.by_writes, c.difference, c.half_width)]
        rows.append([c.case, *times, number(100 * c.difference / c.by_reads, 1)])
    differences = [c.difference for c in found]
    slower = sum(c.difference > c.half_width for c in found)
    return evidence.table(header, rows, markdown) + (
        f"\n{slower} of {len(found)} cases are slower after an eviction by writes, beyond the "
        f"interval; median {1e6 * statistics.median(differences):.2f} us, largest "
        f"{1e6 * max(differences):.2f} us\n"
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--metric", default="gpu_time", choices=["gpu_time", "kernel_time"])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    run = evidence.read_run(options.run)
    found = costs_of(run, options.metric)
    if not found:
        raise evidence.Unusable(
            f"{options.run}: found no case with both {options.metric}_cold and "
            f"{options.metric}_cold_write; needed is a run with --cache cold,cold_write"
        )
    print(evidence.shown_devices(run) + "\n")
    print(report(found, options.metric, options.markdown), end="")
    return 0


if __name__ == "__main__":
    evidence.main(main)
