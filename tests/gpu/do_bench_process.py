#!/usr/bin/env python3
"""One process of do_bench_table.py, which reads what this writes.

    do_bench_process.py times FILE      times of each callable: pl.do_bench, Triton's, CUPTI's
    do_bench_process.py compare FILE    verdicts of pl.compare on planted pairs

Needs a GPU, torch, triton and plumbline_gpu with its extension module.
"""

import json
import pathlib
import statistics
import sys
import tempfile
import time

MARKS = "mark_begin", "mark_end"  # kernels around each traced launch
ON_GPU = {"kernel", "gpu_memcpy", "gpu_memset"}  # categories of a trace
TRACED = 20  # launches of a callable
EVICTED_BYTES = 512 << 20
CYCLES_PER_S = 2e9  # no GPU's clock is much higher, so that a hold is not too short
TIMES = 12800, 13056  # of callables.iterated: + 2 %


def launches_in(events):
    """Of a Chrome trace, for each launch between two marks: [(start, end)] of its kernels, in seconds."""
    on_gpu = sorted((event for event in events if event.get("cat") in ON_GPU), key=lambda event: event["ts"])
    launches, inside = [], None
    first = on_gpu[0]["ts"] if on_gpu else 0  # differences keep the digits of nanoseconds
    for event in on_gpu:
        if event["name"].startswith(MARKS[0]):
            inside = []
        elif event["name"].startswith(MARKS[1]):
            launches.append(inside)
            inside = None
        elif inside is not None:
            start = event["ts"] - first
            inside.append((1e-6 * start, 1e-6 * (start + event["dur"])))
    return launches


def traced_facts(launches, readings, floor):
    """Medians over launches: kernels, span, gap, event_excess. `readings`: seconds between the events of each."""
    spans = [max(end for _, end in kernels) - kernels[0][0] for kernels in launches]
    sums = [sum(end - start for start, end in kernels) for kernels in launches]
    return {
        "kernels": statistics.median(map(len, launches)),
        "span": statistics.median(spans),
        "gap": max(0.0, statistics.median(span - total for span, total in zip(spans, sums))),
        "event_excess": statistics.median(reading - span for reading, span in zip(readings, spans)) - floor,
    }


class Tracer:
    """Launches callables on a held stream under torch.profiler."""

    def __init__(self):
        import torch
        import triton

        self.torch = torch
        self.memory = torch.zeros(EVICTED_BYTES // 4, device="cuda")
        self.word = torch.zeros(32, device="cuda")
        self.marks = [triton.jit(mark) for mark in (mark_begin, mark_end)]

    def mark(self, number):
        self.marks[number][(1,)](self.word)

    def launch(self, call, hold_s):
        """Enqueues one launch; returns its events."""
        cuda = self.torch.cuda
        events = [cuda.Event(enable_timing=True) for _ in range(2)]
        self.memory.sum()
        cuda._sleep(int(hold_s * CYCLES_PER_S))
        self.mark(0)
        events[0].record()
        call()
        events[1].record()
        self.mark(1)
        is_held = not events[0].query()
        cuda.synchronize()
        return (*events, is_held)

    def trace(self, calls, holds):
        """{name: facts} of the calls {name: callable}."""
        profiler = self.torch.profiler
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]):  # the first one starts CUPTI
            self.launch(next(iter(calls.values())), 1e-3)
        done = []
        with profiler.profile(activities=[profiler.ProfilerActivity.CUDA]) as traced:
            for name, call in {"": lambda: self.mark_empty(), **calls}.items():
                done += [(name, *self.launch(call, holds.get(name, 1e-3))) for _ in range(TRACED)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            traced.export_chrome_trace(str(path))
            launches = launches_in(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])
        if len(launches) != len(done):
            raise RuntimeError(f"found {len(launches)} launches in the trace of {len(done)}")
        return self.facts(done, launches)

    def mark_empty(self):
        self.torch.cuda._sleep(0)

    def facts(self, done, launches):
        groups = {}
        for (name, begin, end, is_held), kernels in zip(done, launches):
            group = groups.setdefault(name, ([], [], []))
            group[0].append(kernels)
            group[1].append(1e-3 * begin.elapsed_time(end))
            group[2].append(is_held)
        floor = traced_facts(*groups.pop("")[:2], 0)["event_excess"]
        for name, (_, _, held) in groups.items():
            if not all(held):
                early = f"{held.count(False)} of {len(held)} traced launches began before they were enqueued"
                print(f"{name}: {early}", file=sys.stderr)
        return {name: traced_facts(kernels, readings, floor) for name, (kernels, readings, _) in groups.items()}


def mark_begin(x):
    pass


def mark_end(x):
    pass


def timed(function, call):
    """(seconds that it returns as milliseconds, duration of the call)."""
    begin = time.perf_counter()
    time_ms = function(call)
    return 1e-3 * time_ms, time.perf_counter() - begin


def host_time(call, torch):
    """Seconds of an enqueue, with nothing else in the queue."""
    readings = []
    for _ in range(10):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        call()
        readings.append(time.perf_counter() - begin)
    torch.cuda.synchronize()
    return statistics.median(readings)


def times():
    """{callable: facts}; see Line of do_bench_table.py."""
    import torch
    import triton.testing

    import callables
    import plumbline_gpu as pl
    from plumbline_gpu._session import device_name, measuring

    tools = {"plumbline": pl.do_bench, "triton": triton.testing.do_bench}
    calls, facts = {}, {}
    for item in callables.CALLABLES:
        arguments = item.arguments()
        call = calls[item.title] = lambda function=item.function, arguments=arguments: function(**arguments)
        call()
        torch.cuda.synchronize()
        with measuring(device_name()) as engine:
            is_held = engine.can_be_held(call)
        found = {tool: timed(function, call) for tool, function in tools.items()}
        facts[item.title] = {
            "times": {tool: pair[0] for tool, pair in found.items()},
            "walls": {tool: pair[1] for tool, pair in found.items()},
            "host": host_time(call, torch), "is_held": is_held,
        }  # fmt: skip
    holds = {name: 5 * fact["host"] + 0.5e-3 for name, fact in facts.items()}
    for name, traced in Tracer().trace(calls, holds).items():
        facts[name] |= traced
    return facts


def compare():
    """{"slower" and "same": [verdict]} of 20 sizes each."""
    import torch

    import callables
    import plumbline_gpu as pl

    found = {"slower": [], "same": []}
    for number in range(20):
        x = torch.randn(65536 * (number + 1), device="cuda")
        old, more = (lambda x, times=times: callables.iterated(x, times) for times in TIMES)
        found["slower"].append(pl.compare(old, more, x, tolerance=1e9).verdict)
        found["same"].append(pl.compare(old, lambda x: callables.iterated(x, TIMES[0]), x).verdict)
    return found


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in ("times", "compare"):
        print(__doc__)
        return 0 if "--help" in sys.argv else 2
    import torch

    with torch.no_grad():
        made = {"times": times, "compare": compare}[sys.argv[1]]()
    pathlib.Path(sys.argv[2]).write_text(json.dumps(made, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
