#!/usr/bin/python3
"""Tables of docs/evidence/collectives.md from runs of suites/collectives.yaml.

collectives_table.py RUN… [--by-hand FILE] [--markdown]
FILE: what collectives_by_hand.py printed, in the same minutes as the runs.
"""

import argparse
import json
import pathlib
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import evidence  # noqa: E402

OPS = ["peer_copy", "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "send_recv"]
FLOAT = 4  # bytes
SMALL = 1 << 20  # messages below are given as times, the others as rates


class Table:
    """The visits of all runs together, by case."""

    def __init__(self, runs):
        rows = [row for run in runs for row in run.measured("gpu_time_hot")]
        self.rows = evidence.by_case(rows)
        self.skews_s = [evidence.estimate_of([row]).value for run in runs for row in run.measured("rank_skew_hot")
                        if statistics.median(map(statistics.median, evidence.counting_blocks(row))) > 0]  # fmt: skip

    def seconds(self, op, elements, **axes):
        """None if it was not measured."""
        backend = "libtorch" if op == "peer_copy" else "nccl"
        parameters = {"dtype": "float32", "elements": elements, "ranks": 2, **axes}
        case = "/".join([op, backend, *(f"{key}={value}" for key, value in sorted(parameters.items()))])
        found = evidence.estimate_of(self.rows.get(case, []))
        return found and found.value

    def bus_bytes_per_s(self, op, elements, **axes):
        seconds = self.seconds(op, elements, **axes)
        if seconds is None:
            return None
        share = 0.5 if op in ("all_gather", "reduce_scatter", "all_to_all") else 1  # of two ranks
        return share * elements * FLOAT / seconds

    def sizes(self):
        return sorted({int(case.split("elements=")[1].split("/")[0]) for case in self.rows if "dtype=float32" in case})


def shown_size(size):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size} {unit}"
        size //= 1024
    raise ValueError(size)


def by_op(table, markdown):
    small = [[shown_size(n * FLOAT), *(evidence.number(scaled(table.seconds(op, n), 1e6), 1) for op in OPS)]
             for n in table.sizes() if n * FLOAT < SMALL]  # fmt: skip
    large = [[shown_size(n * FLOAT), *(evidence.number(scaled(table.bus_bytes_per_s(op, n), 1e-9), 0) for op in OPS)]
             for n in table.sizes() if n * FLOAT >= SMALL]  # fmt: skip
    yield "Microseconds", evidence.table(["message", *OPS], small, markdown)
    yield "Bus bandwidth, GB/s", evidence.table(["message", *OPS], large, markdown)


def scaled(value, factor):
    return None if value is None else value * factor


def choices(table, markdown):
    sizes = [n for n in table.sizes() if table.seconds("all_reduce", n, algorithm="ring", protocol="ll")]
    made = []
    for algorithm in ("ring", "tree"):
        for protocol in ("ll", "ll128", "simple"):
            times = [table.seconds("all_reduce", n, algorithm=algorithm, protocol=protocol) for n in sizes]
            made.append([f"{algorithm}, {protocol}", *(evidence.number(scaled(t, 1e6), 1) for t in times)])
    made.append(["NCCL's choice", *(evidence.number(scaled(table.seconds("all_reduce", n), 1e6), 1) for n in sizes)])
    return evidence.table(["all_reduce", *(f"{shown_size(n * FLOAT)}, µs" for n in sizes)], made, markdown)


def beside_hand(table, by_hand, markdown):
    made = []
    for elements, hand_s in by_hand.items():
        ours_s = table.seconds("all_reduce", int(elements))
        made.append([shown_size(int(elements) * FLOAT), evidence.number(scaled(ours_s, 1e6), 1), evidence.number(1e6 * hand_s, 1),
                     evidence.number(100 * (hand_s / ours_s - 1), 1)])  # fmt: skip
    return evidence.table(["all_reduce", "Plumbline, µs", "torch.distributed by hand, µs", "longer, %"], made, markdown)


def repeat(table, markdown):
    """How far apart the visits of a case are: the largest over the smallest."""
    made, limits_s = [], [0, 10e-6, 30e-6, 100e-6, float("inf")]
    for low, high in zip(limits_s, limits_s[1:]):
        found = [evidence.estimate_of(rows) for rows in table.rows.values()]
        spreads = [100 * (max(e.visits) / min(e.visits) - 1) for e in found if low <= e.value < high and len(e.visits) > 1]
        if spreads:
            name = f"{1e6 * low:.0f} to {1e6 * high:.0f} µs" if high < 1 else f"from {1e6 * low:.0f} µs"
            made.append([name, len(spreads), evidence.number(statistics.median(spreads), 1), evidence.number(evidence.quantile(spreads, 0.9), 1)])
    return evidence.table(["time", "cases", "median, %", "90 % of cases, %"], made, markdown)


def command():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--by-hand")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    runs = [evidence.read_run(path) for path in asked.runs]
    table = Table(runs)
    print("\n".join(map(evidence.shown_devices, runs)))
    for title, text in by_op(table, asked.markdown):
        print(f"\n{title}\n\n{text}")
    print(choices(table, asked.markdown))
    if asked.by_hand:
        by_hand = json.loads(pathlib.Path(asked.by_hand).read_text(encoding="utf-8"))
        print(beside_hand(table, by_hand, asked.markdown))
    print(repeat(table, asked.markdown))
    skews_us = [1e6 * skew for skew in table.skews_s]
    print(f"skew of the ranks: median {statistics.median(skews_us):.2f} µs, 90 % below {evidence.quantile(skews_us, 0.9):.2f} µs, "
          f"at most {max(skews_us):.2f} µs")  # fmt: skip
    return 0


if __name__ == "__main__":
    evidence.main(command)
