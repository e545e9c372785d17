#!/usr/bin/env python3
"""One pass of a peer over the cases that Plumbline measures too: one process, one CSV.

    peers.py --peer do_bench|blocked_autorange|nvbench --out x.csv [--cases cases.csv]
             [--extension build/lib/libspin_ops.so] [--limit-s 1] [--filter TEXT]

Columns: case (Plumbline's id), peer, seconds, device (UUID). What each peer is asked:
  do_bench           triton.testing.do_bench(launch): its defaults (25 ms of warm-up, 100 ms of
                     launches, L2 written before each); median and mean of its times
  blocked_autorange  torch.utils.benchmark.Timer(launch).blocked_autorange(min_run_time=0.2): median
  nvbench            cuda.bench (PyPI cuda-bench), nv/cold/time/gpu/mean: its defaults (at least 10
                     samples and 0.5 s of kernels, until their noise is below 0.5 %), except
                       --timeout LIMIT_S      wall time of a case's samples (default: 15 s)
                       exec(batched=False)    no second, batched measurement
                       throttle threshold     0.25 of the default clock, as in NVBench's example
                                              for PyTorch: by default it throws away samples of
                                              launches that are limited by power

Needs a GPU, torch and triton; nvbench also cuda-bench. Exit code 2 if a package is missing, 77 without a GPU, 1 if a
case failed, which is named.
"""

import argparse
import csv
import importlib.util
import json
import pathlib
import statistics
import sys
import tempfile

import cases as case_list

HERE = pathlib.Path(__file__).resolve().parent
NVBENCH_TIME = "nv/cold/time/gpu/mean"
THROTTLE_THRESHOLD = 0.25


def nvbench_times(results):
    """{number of the case: seconds} from NVBench's JSON, without states that have no time."""
    times = {}
    for benchmark in results["benchmarks"]:
        for state in benchmark["states"]:
            index = next(axis["value"] for axis in state["axis_values"] if axis["name"] == "case")
            for summary in state.get("summaries") or []:
                if summary["tag"] == NVBENCH_TIME and not state.get("is_skipped"):
                    value = next(d["value"] for d in summary["data"] if d["name"] == "value")
                    if value is not None:
                        times[int(index)] = float(value)
    return times


def missing_packages(peer):
    """Packages that the peer needs and this Python does not have."""
    needed = {"do_bench": ["torch", "triton"], "blocked_autorange": ["torch"], "nvbench": ["torch", "cuda.bench"]}
    return [name for name in needed[peer] if not has(name)]


def has(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # of the parent package
        return False


def do_bench(launch):
    import triton.testing

    times_ms = triton.testing.do_bench(launch, return_mode="all")
    yield "do_bench_median", statistics.median(times_ms) * 1e-3
    yield "do_bench_mean", statistics.fmean(times_ms) * 1e-3


def blocked_autorange(launch):
    import torch.utils.benchmark

    timer = torch.utils.benchmark.Timer("launch()", globals={"launch": launch})
    yield "blocked_autorange", timer.blocked_autorange(min_run_time=0.2).median


def one_by_one(peer, cases, failed):
    """Rows (case, peer, seconds) of a peer that is called for each case."""
    import launches

    for case in cases:
        try:
            for name, seconds in peer(launches.launch_of(case, "cuda")):
                yield case["case"], name, seconds
        except Exception as error:  # only this case fails: the others are still measured
            failed.append(f"{case['case']}: {error}")


def nvbench(cases, limit_s, failed):
    """Rows of NVBench, which runs all its benchmarks in one call and writes JSON."""
    import cuda.bench
    import torch

    import launches

    def measure(state):
        case = cases[state.get_int64("case")]
        stream = torch.cuda.ExternalStream(state.get_stream().addressof())
        try:
            launch = launches.launch_of(case, "cuda")
            torch.cuda.synchronize()  # the inputs were made on another stream

            def launcher(_):
                with torch.cuda.stream(stream):
                    launch()

            state.exec(launcher, batched=False)
        except Exception as error:
            failed.append(f"{case['case']}: {error}")
            state.skip(str(error))

    benchmark = cuda.bench.register(measure)
    benchmark.add_int64_axis("case", list(range(len(cases))))
    benchmark.set_timeout(limit_s)
    benchmark.set_throttle_threshold(THROTTLE_THRESHOLD)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "nvbench.json"
        cuda.bench.run_all_benchmarks(["peers.py", "--quiet", "--json", str(path)])
        times = nvbench_times(json.loads(path.read_text(encoding="utf-8")))
    for index, case in enumerate(cases):
        if index in times:
            yield case["case"], "nvbench", times[index]
        elif not any(reason.startswith(case["case"] + ":") for reason in failed):
            failed.append(f"{case['case']}: NVBench gave no {NVBENCH_TIME}")


def chosen(cases, text, has_spin):
    """The cases whose ids contain `text`; spin kernels only if their operator is loaded."""
    found = [case for case in cases if text in case["case"]]
    return [case for case in found if has_spin or not case["op"].startswith("plumbline_spin::")]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--peer", required=True, choices=["do_bench", "blocked_autorange", "nvbench"]
    )
    parser.add_argument("--cases", default=HERE / "cases.csv")
    parser.add_argument("--out", required=True)
    parser.add_argument(
        "--limit-s", type=float, default=1.0, help="wall time of a case, nvbench only"
    )
    parser.add_argument("--extension", help="libspin_ops.so; without it there are no spin kernels")
    parser.add_argument("--filter", default="", help="part of the ids of the cases")
    return parser.parse_args()


def main():
    options = arguments()
    missing = missing_packages(options.peer)
    if missing:
        print(f"error: found no {' and no '.join(missing)} in {sys.executable}; needed for this peer", file=sys.stderr)
        return 2
    import torch

    if not torch.cuda.is_available():
        print("there is no CUDA GPU")
        return 77
    if options.extension:
        torch.ops.load_library(options.extension)
    cases = chosen(case_list.read_cases(options.cases), options.filter, bool(options.extension))
    failed = []
    with torch.no_grad(), open(options.out, "w", newline="", encoding="utf-8") as file:
        if options.peer == "nvbench":
            rows = nvbench(cases, options.limit_s, failed)
        else:
            peers = {"do_bench": do_bench, "blocked_autorange": blocked_autorange}
            rows = one_by_one(peers[options.peer], cases, failed)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "peer", "seconds", "device"])
        for row in rows:  # NVBench sets up the device itself, so nothing may use it before
            writer.writerow([*row, f"GPU-{torch.cuda.get_device_properties(0).uuid}"])
            file.flush()
    for reason in failed:
        print(f"error: {reason}", file=sys.stderr)
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
