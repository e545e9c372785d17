#!/usr/bin/python3
"""Copies of 1 MB to 4 GB: does any of them seem faster than the memory's bandwidth?

    bandwidth.py RUN [--bandwidth BYTES_PER_S] [--uncertainty BYTES_PER_S] [--markdown]

RUN: a run of suites/copies.yaml. Half of a copy's bytes are reads, half are writes.
  cold  all reads must cross the memory bus, and the writes that exceed the size of L2
  hot   no bytes need to cross if they fit in L2; otherwise at least the excess must cross
`IMPOSSIBLE`, exit code 1: the rate of the bytes that must cross exceeds the calibrated copy bandwidth
by more than both 95 % intervals. If only the rate of all bytes of a hot copy exceeds it: `in L2` if
they fit, `partly in L2` up to twice the size of L2, beyond that also `IMPOSSIBLE`.
"""

import argparse
import dataclasses

import evidence
from evidence import number

METRICS = ["gpu_time_cold", "gpu_time_hot", "kernel_time_cold", "kernel_time_hot"]


@dataclasses.dataclass
class Copy:
    case: str
    metric: str
    bytes: float  # reads and writes
    crossing: float  # bytes that must cross the memory bus
    seconds: float
    half_width: float  # of the time's 95 % interval, as a fraction

    def rate(self, moved):
        return moved / self.seconds


def crossing_bytes(metric, moved, l2):
    """Bytes that must cross the memory bus in a copy that moves this many, half of them writes."""
    if metric.endswith("_hot"):
        return max(0.0, moved - l2)
    return moved / 2 + max(0.0, moved / 2 - l2)


def verdict(copy, l2, bandwidth, uncertainty):
    """ "", "in L2", "partly in L2" or "IMPOSSIBLE" (see above)."""

    def is_above(moved):
        return copy.rate(moved) * (1 - copy.half_width) > bandwidth + uncertainty

    if is_above(copy.crossing):
        return "IMPOSSIBLE"
    if not copy.metric.endswith("_hot") or not is_above(copy.bytes):
        return ""
    if copy.bytes <= l2:
        return "in L2"
    return "partly in L2" if copy.bytes <= 2 * l2 else "IMPOSSIBLE"


def copies_of(run, l2):
    """The copies of a run by size, then metric. Throws Unusable if the cost is unknown."""
    found = []
    for metric in METRICS:
        bytes_of = {row["case"]: row.get("bytes") for row in run.measured(metric)}
        for case, estimate in evidence.estimates(run, metric).items():
            if not bytes_of[case]:
                raise evidence.Unusable(
                    f"{case}: found no `bytes`; needed is a suite with cost.bytes"
                )
            moved = float(bytes_of[case])
            crossing = crossing_bytes(metric, moved, l2)
            found.append(Copy(case, metric, moved, crossing, estimate.value, estimate.half_width()))
    return sorted(found, key=lambda copy: (copy.bytes, METRICS.index(copy.metric)))


def copy_table(copies, verdicts, markdown):
    header = [
        "copy of MB",
        "metric",
        "us",
        "95 % ±%",
        "all bytes GB/s",
        "must cross GB/s",
        "verdict",
    ]
    rows = []
    for copy, said in zip(copies, verdicts):
        time = number(1e6 * copy.seconds, 2)
        rates = [number(1e-9 * copy.rate(moved), 0) for moved in (copy.bytes, copy.crossing)]
        size = f"{copy.bytes / 2e6:.3g}"
        rows.append([size, copy.metric, time, number(100 * copy.half_width, 2), *rates, said])
    return evidence.table(header, rows, markdown)


def peak_of(run, options):
    """Calibrated copy bandwidth and its uncertainty, bytes per second."""
    bandwidth = options.bandwidth or run.calibration("copy_bytes_per_s")
    if not bandwidth:
        raise evidence.Unusable(
            f"{run.path}/run.json: found no calibration.copy_bytes_per_s; give --bandwidth"
        )
    if options.uncertainty is not None:
        return bandwidth, options.uncertainty
    return bandwidth, run.calibration("copy_bytes_per_s_uncertainty") or 0.0


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", metavar="RUN")
    parser.add_argument("--bandwidth", type=float, help="bytes per second, instead of the run's")
    parser.add_argument("--uncertainty", type=float, help="of the bandwidth, bytes per second")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()

    run = evidence.read_run(options.run)
    l2 = float(run.environment("device_l2_bytes") or 0)
    bandwidth, uncertainty = peak_of(run, options)
    copies = copies_of(run, l2)
    if not copies:
        raise evidence.Unusable(f"{options.run}: found no {', '.join(METRICS)}")
    verdicts = [verdict(copy, l2, bandwidth, uncertainty) for copy in copies]
    print(
        f"{evidence.shown_devices(run)}; L2 {l2 / 1e6:.1f} MB; calibrated copy bandwidth "
        f"{bandwidth / 1e9:.0f} ± {uncertainty / 1e9:.0f} GB/s\n"
    )
    print(copy_table(copies, verdicts, options.markdown))
    impossible = verdicts.count("IMPOSSIBLE")
    print(f"{impossible} of {len(copies)} above what the memory can")
    return 1 if impossible else 0


if __name__ == "__main__":
    evidence.main(main)
