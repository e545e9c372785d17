#!/usr/bin/python3
"""Simulated nights of fleets of several sizes: what is found, false alarms, and what the commands cost.

usage: fleet_scale.py PLUMBLINE MAKE_FLEET [--devices 10,30,100,300] [--nights 3] [--parts fleet,merge,…]

Prints the tables of docs/evidence/fleet.md. The truth is planted by make_fleet. Costs are wall and CPU time, peak
memory of the program, and bytes on disk; the slope is that of a straight line through log cost over log devices between the two
largest fleets (1: the cost grows as the fleet does).
"""

import argparse
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

PARTS = ("fleet", "merge", "compare", "history", "site")

# A process counts the memory of the one that started it: so a small one starts the program.
SMALL = """
import json, os, subprocess, sys, time
begin = time.monotonic()
with open(sys.argv[1], "wb") as out, open(sys.argv[2], "wb") as errors:
    process = subprocess.Popen(sys.argv[3:], stdout=out, stderr=errors)
    _, status, usage = os.wait4(process.pid, 0)
cpu = usage.ru_utime + usage.ru_stime
print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - begin, cpu, usage.ru_maxrss * 1024]))
"""


def cost(command, folder):
    """(seconds, CPU seconds, bytes of memory), and standard output."""
    output, errors = folder / "output", folder / "errors"
    started = subprocess.run([sys.executable, "-SE", "-c", SMALL, output, errors, *command], check=True, capture_output=True)
    code, seconds, cpu, memory = json.loads(started.stdout)
    if code not in (0, 1, 3):
        sys.exit(f"{' '.join(map(str, command))}: exit code {code}\n{errors.read_text()[:2000]}")
    return (seconds, cpu, memory), output.read_text(encoding="utf-8")


def bytes_of(path):
    if path.is_file():
        return path.stat().st_size
    return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def fleet_found(text, truth):
    """Planted devices found, and others that are called outside."""
    units = json.loads(text)["units"]
    slow = {unit["name"] for unit in units if unit["slower"] and not unit["is_node"]}
    outside = {unit["name"] for unit in units if unit["outside"] and not unit["is_node"]}
    nodes = [unit for unit in units if unit["is_node"] and unit["outside"]]
    planted = set(truth["devices"])
    return {
        "planted": len(planted),
        "found": len(planted & slow),
        "false": len(outside - planted),
        "nodes": sorted(unit["name"] for unit in nodes),
    }


def is_planted(case):
    number = dict(part.split("=", 1) for part in case.split("/") if "=" in part)["n"]
    return int(number) % 20 == 0


def screen_found(path):
    """Of the merged night against the one before: planted cases that look slower, and others that look changed."""
    findings = json.loads(path.read_text(encoding="utf-8"))["findings"]
    called = [finding for finding in findings if finding["verdict"].endswith(("SLOWER", "FASTER"))]
    return {
        "cases": len(findings),
        "planted": sum(is_planted(finding["case"]) for finding in findings),
        "found": sum(is_planted(finding["case"]) and finding["verdict"].endswith("SLOWER") for finding in called),
        "false": sum(not is_planted(finding["case"]) for finding in called),
    }


def measured(flags, devices, folder):
    data = folder / str(devices)
    subprocess.run([flags.make_fleet, data, str(devices), str(flags.nights), "yes" if "merge" in flags.parts else "no"], check=True)
    truth = json.loads((data / "truth.json").read_text())
    row = {"devices": devices, "costs": {}, "fleet": None, "screen": None}

    def run(name, *words, size=None):
        costs, text = cost([flags.program, *map(str, words)], folder)
        row["costs"][name] = (*costs, bytes_of(size) if size else len(text))
        return text

    for part in flags.parts:
        MEASURED[part](run, data, truth, row)
    shutil.rmtree(data)
    return row


def measured_fleet(run, data, truth, row):
    text = run("fleet --json", "fleet", data / "nights", "--json")
    row["fleet"] = fleet_found(text, truth)
    run("fleet -o page", "fleet", data / "nights", "-o", data / "fleet.html", size=data / "fleet.html")


def measured_merge(run, data, truth, row):
    """The shards of two nights."""
    for night in ("before", "now"):
        run("merge", "merge", data / night, "-o", data / f"merged-{night}", size=data / f"merged-{night}")


def measured_compare(run, data, truth, row):
    run("compare", "compare", data / "merged-before", data / "merged-now", "-o", data / "comparison.json",
        size=data / "comparison.json")
    row["screen"] = screen_found(data / "comparison.json")


def measured_history(run, data, truth, row):
    run("history of a case", "history", "op1/libtorch/dtype=float16/n=0", "--runs", data / "nights")


def measured_site(run, data, truth, row):
    run("site", "site", data / "site", "--runs", data / "nights", size=data / "site")


MEASURED = {"fleet": measured_fleet, "merge": measured_merge, "compare": measured_compare, "history": measured_history,
            "site": measured_site}  # fmt: skip


def parts_of(text):
    parts = text.split(",")
    for part in parts:
        if part not in PARTS:
            raise argparse.ArgumentTypeError(f"found '{part}'; allowed: {', '.join(PARTS)}")
    if "compare" in parts and "merge" not in parts:
        raise argparse.ArgumentTypeError("compare reads what merge writes: name both")
    return [part for part in PARTS if part in parts]


def slope(rows, name, which):
    one, other = rows[-2], rows[-1]
    low, high = one["costs"][name][which], other["costs"][name][which]
    return math.log(high / low) / math.log(other["devices"] / one["devices"])


def shown(value, which):
    if which < 2:
        return f"{value:.2f} s" if value < 10 else f"{value:.0f} s"
    return f"{value / 1e6:.3g} MB"


def print_found(rows):
    print("| GPUs | slow GPUs found | others called outside | slow nodes named | regression: cases that look slower | others that look changed |")
    print("|---:|---:|---:|---|---:|---:|")
    for row in rows:
        fleet, screen = row["fleet"], row["screen"]
        if fleet is None:
            continue
        print(
            f"| {row['devices']:,} | {fleet['found']} of {fleet['planted']} | {fleet['false']} "
            f"| {', '.join(fleet['nodes'][:3]) or '–'} | " + (
                f"{screen['found']:,} of {screen['planted']:,} | {screen['false']} of {screen['cases'] - screen['planted']:,} |"
                if screen else "– | – |")
        )


def print_costs(rows):
    names = list(rows[0]["costs"])
    for which, title in enumerate(("wall time", "CPU time", "peak memory", "bytes written")):
        print(f"\n| {title} | " + " | ".join(f"{row['devices']:,}" for row in rows) + " | slope |")
        print("|---|" + "---:|" * (len(rows) + 1))
        for name in names:
            values = " | ".join(shown(row["costs"][name][which], which) for row in rows)
            exponent = f"{slope(rows, name, which):.2f}" if len(rows) > 1 else "–"
            print(f"| `{name}` | {values} | {exponent} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("make_fleet")
    parser.add_argument("--devices", default="10,30,100,300")
    parser.add_argument("--nights", type=int, default=3)
    parser.add_argument("--parts", type=parts_of, default=PARTS, help=f"which commands: {','.join(PARTS)}; default: all")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    flags = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory(dir=flags.output) as folder:
        for devices in map(int, flags.devices.split(",")):
            rows.append(measured(flags, devices, pathlib.Path(folder)))
            print(f"{devices} GPUs done", file=sys.stderr)
    print_found(rows)
    print_costs(rows)


if __name__ == "__main__":
    main()
