#!/usr/bin/python3
"""Does gpu_time agree with CUPTI's span of the same launches? A table by case, and causes.

    agreement.py RUN… [--peers x.csv…] [--cache cold|cold_write|hot] [--markdown]

gpu_time is measured in workers of profile timing, CUPTI's span in workers of profile trace, where
launches alternate between traced and untraced. Within the bar: max(0.5 us, 1 %) of the span. The
difference is the sum of four parts, of which the largest is named as its cause:
  process      gpu_time - event_untraced   the same timer in two processes, at other placements
  tracing      event_untraced - event_traced   what tracing changes about a launch
  floor        event_traced - span         what is left of the event pair's own cost
  aggregation  span's median over the visit - its estimate (blocks' medians, then mean)
Exit code 1 where a case is outside the bar.
"""

import argparse
import dataclasses
import json
import statistics

import evidence
from evidence import number

BAR_S, BAR_SHARE = 0.5e-6, 0.01
PARTS = ["process", "tracing", "floor", "aggregation"]


@dataclasses.dataclass
class Agreement:
    case: str
    gpu_time: float
    span: float
    kernel_time: float  # sum of the kernels' durations; the rest of the span is gaps
    kernels: int  # per launch; 0 = unknown
    parts: dict  # of gpu_time - span, seconds; empty if the timers are not recorded

    @property
    def difference(self):
        return self.gpu_time - self.span

    @property
    def is_within(self):
        return abs(self.difference) <= max(BAR_S, BAR_SHARE * self.span)

    @property
    def cause(self):
        return max(self.parts, key=lambda name: abs(self.parts[name])) if self.parts else "unknown"


def kernel_count(text):
    """Kernels, copies and memsets of one launch, from the column `kernels`; 0 if it is not JSON."""
    try:
        return sum(entry.get("calls", 1) for entry in json.loads(text or "[]"))
    except (ValueError, TypeError, AttributeError):
        return 0


def timers_of(rows):
    """{timer: mean over the visits} from the column `timers`."""
    found = {}
    for row in rows:
        for name, seconds in evidence.named_numbers(row.get("timers")).items():
            found.setdefault(name, []).append(seconds)
    return {name: statistics.fmean(values) for name, values in found.items()}


def parts_of(gpu_time, span, timers):
    """The four parts; they add up to gpu_time - span."""
    if not {"event_untraced", "event_traced", "span"} <= timers.keys():
        return {}
    return {
        "process": gpu_time - timers["event_untraced"],
        "tracing": timers["event_untraced"] - timers["event_traced"],
        "floor": timers["event_traced"] - timers["span"],
        "aggregation": timers["span"] - span,
    }


def agreements(run, cache):
    """An Agreement per case that has gpu_time and a span."""
    gpu_times = evidence.estimates(run, f"gpu_time_{cache}")
    spans = evidence.estimates(run, f"kernel_span_{cache}")
    kernel_times = evidence.estimates(run, f"kernel_time_{cache}")
    traced = evidence.by_case(run.measured(f"kernel_time_{cache}"))
    found = []
    for case, gpu_time in gpu_times.items():
        if case not in spans or case not in kernel_times:
            continue
        gpu, span = gpu_time.value, spans[case].value
        rows = traced[case]
        parts = parts_of(gpu, span, timers_of(rows))
        count = kernel_count(rows[0].get("kernels"))
        found.append(Agreement(case, gpu, span, kernel_times[case].value, count, parts))
    return found


def us(seconds, digits=2):
    return number(None if seconds is None else 1e6 * seconds, digits)


def main_table(found, peers, names, markdown):
    header = ["case", "gpu_time us", "CUPTI span us", "difference us", "%", "within", *names]
    rows = []
    for a in found:
        beside = [us(peers.get(a.case, {}).get(name)) for name in names]
        share = number(100 * a.difference / a.span, 2)
        within = "yes" if a.is_within else "NO"
        rows.append([a.case, us(a.gpu_time), us(a.span), us(a.difference), share, within, *beside])
    return evidence.table(header, rows, markdown)


def cause_table(found, markdown):
    header = [
        "outside",
        "difference us",
        *(f"{part} us" for part in PARTS),
        "gaps us",
        "kernels",
        "cause",
    ]
    rows = []
    for a in found:
        parts = [us(a.parts.get(part)) for part in PARTS]
        gaps = us(a.span - a.kernel_time)
        rows.append([a.case, us(a.difference), *parts, gaps, a.kernels or "–", a.cause])
    return evidence.table(header, rows, markdown)


def summary(name, found):
    if not found:
        return f"{name}: none\n"
    within = sum(a.is_within for a in found)
    sizes = [abs(a.difference) for a in found]
    shares = [abs(a.difference) / a.span for a in found]
    return (
        f"{name}: {within} of {len(found)} within max(0.5 us, 1 %); |difference| "
        f"median {us(statistics.median(sizes))} us ({100 * statistics.median(shares):.2f} %), "
        f"largest {us(max(sizes))} us\n"
    )


def report(found, peers, markdown):
    """The tables and the summary as one text."""
    names = sorted({name for times in peers.values() for name in times})
    spins = [a for a in found if a.case.startswith(evidence.SPIN)]
    real = [a for a in found if not a.case.startswith(evidence.SPIN)]
    outside = [a for a in found if not a.is_within]
    parts = [main_table(spins + real, peers, names, markdown)]
    if outside:
        parts.append(cause_table(outside, markdown))
    parts.append(summary("spin kernels", spins) + "\n" + summary("real cases", real))
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("runs", nargs="+", metavar="RUN")
    parser.add_argument("--peers", nargs="*", default=[], metavar="CSV")
    parser.add_argument("--cache", default="cold", choices=["cold", "cold_write", "hot"])
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()

    runs = [evidence.read_run(path) for path in options.runs]
    peers, peer_devices = evidence.read_peers(options.peers)
    found = [a for run in runs for a in agreements(run, options.cache)]
    if not found:
        raise evidence.Unusable(
            f"{', '.join(options.runs)}: found no case with gpu_time_{options.cache}, "
            f"kernel_time_{options.cache} and kernel_span_{options.cache}; needed is a run with "
            f"--metrics gpu_time,kernel_time --cache {options.cache}"
        )
    for run in runs:
        floor = us(run.calibration("event_floor_s"), 3)
        print(f"{evidence.shown_devices(run)}; event floor {floor} us")
    if options.peers:
        print(f"peers: {', '.join(peer_devices)}")
    print("\n" + report(found, peers, options.markdown), end="")
    return 0 if all(a.is_within for a in found) else 1


if __name__ == "__main__":
    evidence.main(main)
