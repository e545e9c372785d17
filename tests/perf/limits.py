#!/usr/bin/python3
"""Runs perf_harness and prints its numbers beside their limits as a table for the README.

Exit code 1 if a limit is exceeded. Each number is the best of three. A number above its limit is
measured again, up to 15 times, because others on the machine slow it down for a while. A time is
wall time. On a machine that others use at the same time (more than a tenth of its CPUs), a command
whose wall time is too long is judged by the CPU time of all its threads instead: alone, it would
not need longer. The limit is the same.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

BUSY_SHARE = 0.1
ATTEMPTS = 5  # of three measurements each
UNITS = {"s": (1, "s"), "ms": (1e3, "ms"), "us": (1e6, "µs"), "MB": (1e-6, "MB")}

LIST, COMPARE, REPORT = "`plumbline list`", "`plumbline compare`", "`plumbline report`"
SITE, HISTORY = "`plumbline site`", "`plumbline history`"
NIGHTS = "300 nights of 10^4 cases"
MERGE, STATUS = "`plumbline merge`", "`plumbline status`"
CASES = "10^5 cases"
# what, benchmark, quantity, limit (seconds or bytes; none: for information), displayed unit. The 50
# ms of a visit are for the whole visit; the parts measured here need no GPU.
ROWS = [
    (f"{LIST}, {CASES} from crossed axes", "command/list_crossed", "real_time", 1.0, "s"),
    (f"{LIST}, {CASES}, a line each", "command/list_explicit", "real_time", 1.0, "s"),
    (f"{COMPARE}, two runs of 10^5 rows × 30 samples", "command/compare", "real_time", 2.0, "s"),
    ("– its memory", "command/compare", "peak_memory_bytes", 500e6, "MB"),
    (f"{REPORT}, 10^4 cases and their baseline", "command/report", "real_time", 2.0, "s"),
    ("– size of the page", "command/report", "page_bytes", 10e6, "MB"),
    (f"{SITE}, 200 commits × 2,000 cases from scratch", "command/site", "real_time", 60.0, "s"),
    ("– with one commit more", "command/site_one_more", "real_time", 2.0, "s"),
    (f"{MERGE}, 1,000 shards with {CASES} in all", "command/merge", "real_time", 30.0, "s"),
    ("– its memory", "command/merge", "peak_memory_bytes", 1e9, "MB"),
    ("– files of the shards", "command/merge", "shards_bytes", None, "MB"),
    ("– results.csv of the merged run", "command/merge", "merged_bytes", None, "MB"),
    (f"{STATUS} of them", "command/status", "real_time", 10.0, "s"),
    (f"{HISTORY}, {NIGHTS}", "command/history", "real_time", 0.3, "s"),
    ("– its memory", "command/history", "peak_memory_bytes", 100e6, "MB"),
    ("– the first time, which makes the index", "command/history_index", "real_time", 20.0, "s"),
    ("– its memory", "command/history_index", "peak_memory_bytes", 300e6, "MB"),
    (f"{HISTORY}, 500 runs of 2,000 cases", "command/history_500", "real_time", 0.3, "s"),
    ("– its memory", "command/history_500", "peak_memory_bytes", 100e6, "MB"),
    (f"{COMPARE} --history, {NIGHTS}", "command/compare_history", "real_time", 2.0, "s"),
    ("– its memory", "command/compare_history", "peak_memory_bytes", 500e6, "MB"),
    ("visit: schedule, protocol, worker process", "visits/scheduled", "per_visit_s", 0.050, "ms"),
    ("visit: row in results.csv", "visits/stored", "per_visit_s", 0.050, "ms"),
    ("Benjamini–Hochberg of 10^6 p values", "stats/benjamini_hochberg", "real_time", 0.5, "ms"),
    ("reading a run of 10^5 rows", "part/read_run", "real_time", None, "s"),
    ("comparing two in memory", "part/compare", "real_time", None, "s"),
    ("screening 10^5 cases by 30 nights, in memory", "part/screen_nights", "real_time", 5.0, "s"),
    ("making the page in memory", "part/render_report", "real_time", None, "s"),
]
SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def measured(program, names=()):
    """{benchmark: its repetitions}, of all benchmarks or of the named ones."""
    chosen = [f"--benchmark_filter=^({'|'.join(names)})(/|$)"] if names else []
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "perf.json"
        command = [program, f"--benchmark_out={output}", *chosen]
        subprocess.run(command, check=True, stdout=sys.stderr)
        results = json.loads(output.read_text(encoding="utf-8"))["benchmarks"]
    found = {}
    for entry in results:
        if entry.get("error_occurred"):
            raise SystemExit(f"{entry['name']}: {entry['error_message']}")
        if entry["run_type"] == "iteration":
            name = "/".join(entry["run_name"].split("/")[:2])
            found.setdefault(name, []).append(entry)
    return found


def best(repetitions, quantity):
    """The smallest value, in seconds or bytes."""
    if quantity == "real_time":
        return min(r["real_time"] * SECONDS[r["time_unit"]] for r in repetitions)
    return min(r[quantity] for r in repetitions)


def is_busy(repetitions):
    return min(r.get("others_share", 0) for r in repetitions) > BUSY_SHARE


def shown(value, unit):
    factor, name = UNITS[unit]
    return f"{value * factor:.3g} {name}"


def judged(row, results):
    """The row of the table, and whether the value is within its limit."""
    what, name, quantity, limit, unit = row
    repetitions = results[name]
    value = best(repetitions, quantity)
    text = shown(value, unit)
    cpu_s = best(repetitions, "program_cpu_s") if name.startswith("command/") else None
    is_time = quantity == "real_time" and cpu_s is not None
    if is_time:
        text += f" (CPU {shown(cpu_s, unit)})"
    keeps = limit is None or value <= limit
    if not keeps and is_time and is_busy(repetitions):
        keeps = cpu_s <= limit
        text += ", judged by CPU time: the machine is busy"
    bar = "–" if limit is None else f"≤ {shown(limit, unit)}"
    return f"| {what} | {bar} | {text}{'' if keeps else ' **exceeded**'} |", keeps


def settled(program):
    """Lines of the table, and at the end whether all values are within their limits."""
    results = measured(program)
    for attempt in range(ATTEMPTS):
        lines = [judged(row, results) for row in ROWS]
        exceeded = sorted({row[1] for row, (_, keeps) in zip(ROWS, lines) if not keeps})
        if not exceeded or attempt == ATTEMPTS - 1:
            break
        for name, repetitions in measured(program, exceeded).items():
            results[name] += repetitions
    return [text for text, _ in lines], not exceeded


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="tests/perf_harness of a build")
    lines, all_kept = settled(parser.parse_args().program)
    print("| what | limit | measured |\n|---|---|---|")
    print("\n".join(lines))
    return 0 if all_kept else 1


if __name__ == "__main__":
    sys.exit(main())
