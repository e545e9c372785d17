#!/usr/bin/python3
"""A/A: measures the same cases repeatedly. How far apart are the estimates?

    aa.py A1 A2 [B1 [B2]] [--metrics gpu_time_cold kernel_time_cold] [--markdown]
          [--peers-a1 x.csv…] [--peers-a2 x.csv…] [--peers-b1 x.csv…] [--peers-b2 x.csv…]

A1 and A2 are whole runs on one occasion, B1 and B2 on another; for the peers any two are enough. Prints |ratio - 1| of
the estimates of A1:A2 and B1:B2 (same occasion), and of both A's with both B's (across occasions). An estimate is the
median in a block, the mean over the blocks of a visit, the geometric mean over rounds, without blocks that were set
aside. A peer's estimate is its median over the processes whose CSVs are given, as many as Plumbline has rounds. A case
counts as >= 10 us if both estimates do. Exit code 1 if Plumbline misses a limit. Cases above it are listed with the
level that explains them: `placement` if the spread of the blocks does, `process` if only the visits' spread does, `run`
if neither does. A difference of more than three standard errors is unexplained.
"""

import argparse
import dataclasses
import itertools
import math
import statistics

import evidence
from evidence import number

METRICS = ["gpu_time_cold", "kernel_time_cold"]
LONG_S = 10e-6
SCOPES = [">= 10 us", "all"]
OCCASIONS = "aabb"  # of the runs
# (occasions, scope) -> largest median and largest 99th percentile of |ratio - 1|
BARS = {
    ("same", ">= 10 us"): (0.0015, 0.01),
    ("same", "all"): (0.004, 0.03),
    ("across", ">= 10 us"): (0.004, 0.02),
    ("across", "all"): (0.004, 0.02),
}


@dataclasses.dataclass
class Pair:
    occasions: str  # same, across
    case: str
    first: float
    second: float
    runs: tuple  # indices of the runs

    @property
    def change(self):
        return self.second / self.first - 1

    @property
    def is_long(self):
        return min(self.first, self.second) >= LONG_S


def pairs_of(values, occasions=OCCASIONS):
    """Pairs of each case that all have, from [{case: estimate}…] and the occasion of each, a or b."""
    common = [case for case in values[0] if all(case in each for each in values)]
    return [
        Pair("same" if occasions[i] == occasions[j] else "across", case, first, second, (i, j))
        for i, j in itertools.combinations(range(len(values)), 2)
        for case in common
        for first, second in [(values[i][case], values[j][case])]
    ]


def in_scope(pairs, occasions, scope):
    return [p for p in pairs if p.occasions == occasions and (p.is_long or scope == "all")]


@dataclasses.dataclass
class Spread:
    what: str  # metric or peer
    occasions: str
    scope: str
    cases: int
    median: float
    p90: float
    p99: float
    largest: float

    @property
    def meets_bars(self):
        median, p99 = BARS[self.occasions, self.scope]
        return self.median <= median and self.p99 <= p99


def spreads_of(what, pairs):
    """A Spread for each pair of occasions and each scope that has cases."""
    found = []
    for occasions, scope in BARS:
        chosen = in_scope(pairs, occasions, scope)
        if not chosen:
            continue
        sizes = [abs(pair.change) for pair in chosen]
        quantiles = [evidence.quantile(sizes, share) for share in (0.5, 0.9, 0.99)]
        cases = len({pair.case for pair in chosen})
        found.append(Spread(what, occasions, scope, cases, *quantiles, max(sizes)))
    return found


def level_of(change, first, second):
    """What explains a change between two evidence.Estimate of a case, and how many errors it is.

    Up to three standard errors are chance: of the blocks alone, otherwise also of the visits."""
    of_blocks = math.sqrt(first.block_variance + second.block_variance)
    of_visits = math.sqrt(sum(max(e.visit_variance(), e.block_variance) for e in (first, second)))
    size = abs(math.log1p(change))
    errors = size / of_visits if of_visits > 0 else math.inf
    if size <= 3 * of_blocks:
        return "placement", errors
    return ("process" if errors <= 3 else "run"), errors


def clock_of(rows):
    """Mean SM clock of the blocks, Hz; nan if unknown."""
    clocks = [c for row in rows for c in evidence.numbers(row.get("block_clocks")) if c > 0]
    return statistics.fmean(clocks) if clocks else math.nan


def beyond(pairs):
    """Pairs whose change exceeds the 99th percentile's limit for their occasions, largest first."""
    found = []
    for pair in pairs:
        scope = SCOPES[0] if pair.is_long else SCOPES[1]
        if abs(pair.change) > BARS[pair.occasions, scope][1]:
            found.append(pair)
    return sorted(found, key=lambda pair: -abs(pair.change))


def spread_table(spreads, markdown):
    header = [
        "of |ratio - 1|, %",
        "occasion",
        "launches",
        "cases",
        "median",
        "p90",
        "p99",
        "largest",
    ]
    rows = []
    for s in spreads:
        bar = ""
        if s.what in METRICS:
            median, p99 = BARS[s.occasions, s.scope]
            bar = f"{'met' if s.meets_bars else 'MISSED'}: {100 * median:g} and {100 * p99:g}"
        values = [number(100 * value, 2) for value in (s.median, s.p90, s.p99, s.largest)]
        rows.append([s.what, s.occasions, s.scope, s.cases, *values, bar])
    return evidence.table([*header, "bar of median and p99"], rows, markdown)


def beyond_table(metric, pairs, runs, found, markdown):
    """`found`: the runs' {case: Estimate}."""
    header = [f"beyond, {metric}", "us", "change %", "runs", "clock %", "level", "errors", "flags"]
    rows = []
    for pair in pairs:
        i, j = pair.runs
        level, errors = level_of(pair.change, found[i][pair.case], found[j][pair.case])
        measured = [[r for r in runs[k].measured(metric) if r["case"] == pair.case] for k in (i, j)]
        clocks = [clock_of(each) for each in measured]
        flags = sorted({f for each in measured for r in each for f in r["flags"].split(";") if f})
        names = f"{runs[i].path.name}:{runs[j].path.name}"
        clock = number(100 * (clocks[1] / clocks[0] - 1), 2)
        size, change = number(1e6 * pair.first, 2), number(100 * pair.change, 2)
        rows.append(
            [pair.case, size, change, names, clock, level, number(errors, 1), "; ".join(flags)]
        )
    return evidence.table(header, rows, markdown)


def peer_spreads(groups):
    """Spreads of each peer, from [(occasion, CSVs of the processes)…]."""
    occasions = [occasion for occasion, _ in groups]
    read = [evidence.read_peers(paths)[0] for _, paths in groups]
    names = sorted({peer for each in read for times in each.values() for peer in times})
    found = []
    for name in names:
        values = [{c: t[name] for c, t in each.items() if name in t} for each in read]
        found += spreads_of(name, pairs_of(values, occasions))
    return found


def check_arguments(options):
    """(occasion, CSVs) of the given peers: none, or at least two."""
    if len(options.runs) not in (2, 3, 4):
        raise evidence.Unusable(
            f"found {len(options.runs)} runs; needed are A1 A2, A1 A2 B1 or A1 A2 B1 B2"
        )
    groups = [("a", options.peers_a1), ("a", options.peers_a2)]
    groups += [("b", options.peers_b1), ("b", options.peers_b2)]
    given = [group for group in groups if group[1]]
    if len(given) == 1:
        raise evidence.Unusable(
            "found peers' CSVs of one run; needed are those of two, of A1 and A2 for the same "
            "occasion, of an A and a B across occasions"
        )
    return given


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--metrics", nargs="+", default=METRICS)
    for run in ("a1", "a2", "b1", "b2"):
        parser.add_argument(f"--peers-{run}", nargs="*", default=[], metavar="CSV")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    groups = check_arguments(options)
    runs = [evidence.read_run(path) for path in options.runs]
    for run in runs:
        print(f"{evidence.shown_devices(run)}; started {run.info.get('started_at')}")
    for occasion, paths in groups:
        devices = ", ".join(evidence.read_peers(paths)[1])
        print(f"peers of occasion {occasion}, {len(paths)} CSVs: {devices}")

    spreads, tables = [], []
    for metric in options.metrics:
        found = [evidence.estimates(run, metric) for run in runs]
        pairs = pairs_of([{case: e.value for case, e in each.items()} for each in found])
        if not pairs:
            raise evidence.Unusable(
                f"found no case with {metric} in all of {', '.join(options.runs)}"
            )
        spreads += spreads_of(metric, pairs)
        if too_far := beyond(pairs):
            tables.append(beyond_table(metric, too_far, runs, found, options.markdown))
    own = list(spreads)
    spreads += peer_spreads(groups) if groups else []
    print("\n" + spread_table(spreads, options.markdown))
    print("\n".join(tables), end="")
    return 0 if all(spread.meets_bars for spread in own) else 1


if __name__ == "__main__":
    evidence.main(main)
