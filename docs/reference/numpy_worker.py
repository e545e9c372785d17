#!/usr/bin/env python3
"""A worker for Plumbline in plain Python: NumPy on a CPU. docs/reference/protocol.md says what each part is for.

    plumbline run suite.yaml --worker docs/reference/numpy_worker.py     with `backend: worker` in the suite

Copy it and put your own functions into OPS.
"""

import hashlib
import json
import math
import os
import pathlib
import platform
import sys
import time
import zlib

import numpy as np

HELLO = {"protocol": 1, "profiles": ["timing"], "measurement_revision": 4}
REQUESTS, ANSWERS = 3, 4  # descriptors
DTYPES = {"float32": np.float32, "float64": np.float64}
SHORTEST_S = 20e-6  # shorter launches are timed in batches


class Unsupported(Exception):
    """Its text says what this worker does not have."""


def softmax(x, out):
    np.subtract(x, x.max(axis=-1, keepdims=True), out=out)
    np.exp(out, out=out)
    out /= out.sum(axis=-1, keepdims=True)


# op: its inputs in float64, what is measured, shape of the result, (flops, elements moved, terms added per result)
OPS = {
    "add": (
        lambda rng, p: [rng.standard_normal(p["elements"]), rng.standard_normal(p["elements"])],
        lambda x, y, out: np.add(x, y, out=out),
        lambda p: (p["elements"],),
        lambda p: (p["elements"], 3 * p["elements"], 1),
    ),
    "softmax": (
        lambda rng, p: [rng.standard_normal((p["rows"], p["cols"]))],
        softmax,
        lambda p: (p["rows"], p["cols"]),
        lambda p: (5 * p["rows"] * p["cols"], 2 * p["rows"] * p["cols"], p["cols"]),
    ),
    "gemm": (
        lambda rng, p: [rng.standard_normal((p["m"], p["k"])), rng.standard_normal((p["k"], p["n"]))],
        lambda a, b, out: np.matmul(a, b, out=out),
        lambda p: (p["m"], p["n"]),
        lambda p: (2 * p["m"] * p["n"] * p["k"], p["m"] * p["k"] + p["k"] * p["n"] + p["m"] * p["n"], p["k"]),
    ),
}
# Parameters that an op may have beside its sizes, with the one value that this worker takes.
ONLY = dict(data="uniform", direction="forward", layout="contiguous", batch=1, epilogue="none", transpose_a=False, transpose_b=False)


def environment():
    cpu, units, own = platform.machine(), os.cpu_count(), pathlib.Path(__file__).read_bytes()
    return {
        "device_kind": "cpu",
        "device_class": f"{cpu}, {units} CPUs",
        "device_uuid": "cpu-" + hashlib.sha256(platform.node().encode()).hexdigest()[:16],
        "device_units": str(units),
        "numerics": f"NumPy {np.__version__}, Python {platform.python_version()}",
        "worker_hash": hashlib.sha256(own).hexdigest()[:16],
    }


def check_case(case):
    params = case["params"]
    given = {"backend": case["backend"], "op": case["op"], "dtype": params.get("dtype")}
    for (what, value), known in zip(given.items(), (["worker"], OPS, DTYPES)):
        if value not in known:
            raise Unsupported(f"this worker has no {what} {value}; it has: {', '.join(known)}")
    for name, value in params.items():
        is_other = name in ONLY and value != ONLY[name]
        if is_other or name == "plan" or name.startswith(("stream.", "library.")):
            raise Unsupported(f"this worker has no {name}={value}")


def number(value):
    return float(value) if math.isfinite(value) else None  # JSON has no nan


class Work:
    """A case made concrete: inputs, a place for the result, and the launch."""

    def __init__(self, request):
        case = request["case"]
        check_case(case)
        self.params, self.dtype = case["params"], DTYPES[case["params"]["dtype"]]
        self.make, self.launch_on, self.shape, self.cost = OPS[case["op"]]
        self.seed = zlib.crc32(f"{request['seed']} {case['op']} {sorted(self.params.items())}".encode())
        self.place()

    def place(self):
        """Fresh memory: each block is measured at another place."""
        rng = np.random.default_rng(self.seed)
        self.inputs = [x.astype(self.dtype) for x in self.make(rng, self.params)]
        self.out = np.full(self.shape(self.params), np.nan, self.dtype)  # so that nothing old passes as a result

    def launch(self, times=1):
        for _ in range(times):
            self.launch_on(*self.inputs, self.out)

    def time(self, times):
        begin = time.perf_counter_ns()
        self.launch(times)
        return (time.perf_counter_ns() - begin) / 1e9 / times

    def verified(self):
        """The answer so far: the result is compared with the same computed in float64."""
        expected = np.empty(self.out.shape)
        self.launch_on(*(x.astype(np.float64) for x in self.inputs), expected)
        error = float(np.linalg.norm(self.out - expected) / np.linalg.norm(expected))
        flops, elements, terms = self.cost(self.params)
        tolerance = 4 * float(np.finfo(self.dtype).eps) * (1 + math.sqrt(terms))
        is_right = error <= tolerance
        return {
            "status": "OK" if is_right else "WRONG",
            "reason": "" if is_right else f"relative error {error:.3g}, allowed {tolerance:.3g}",
            "metrics": [], "flops": flops, "bytes": elements * np.dtype(self.dtype).itemsize,
            "error_rel_l2": number(error), "error_max_abs": number(abs(self.out - expected).max()), "tolerance": tolerance,
        }


def sample(work, policy, begin):
    """Blocks of samples in seconds, when each began, and launches per sample."""
    batch = max(1, math.ceil(SHORTEST_S / min(work.time(1) for _ in range(5))))
    warm_until = time.perf_counter() + policy["warmup_s"]
    while time.perf_counter() < warm_until:
        work.launch(batch)
    blocks, times, spent_s = [], [], 0.0
    while len(blocks) < (policy["blocks_max"] if spent_s < policy["budget_s"] else policy["blocks_min"]):
        work.place()
        work.launch()  # a new place is slow at its first touch
        times.append(time.perf_counter() - begin)
        blocks.append([work.time(batch) for _ in range(policy["samples"])])
        spent_s += sum(blocks[-1]) * batch
    return blocks, times, batch


def measure(request, say):
    begin = time.perf_counter()
    say({"phase": "prepare"})
    work = Work(request)
    say({"phase": "verify"})
    work.launch()
    answer = work.verified()
    if answer["status"] != "OK":  # a wrong result gets no time
        return answer
    say({"phase": "measure"})
    blocks, times, batch = sample(work, request["policy"], begin)
    say({"phase": "verify again"})  # what was timed last
    answer = work.verified()
    if answer["status"] == "OK":
        answer["metrics"] = [{"metric": "wall_time", "unit": "s", "batch": batch, "samples": blocks, "block_times_s": times}]
        answer["spent_s"] = {"measure": time.perf_counter() - begin - times[0], "launch": sum(map(sum, blocks)) * batch}
    return answer


def visit(request, say):
    try:
        return measure(request, say)
    except Unsupported as reason:
        return {"status": "UNSUPPORTED", "reason": str(reason), "metrics": []}
    except MemoryError as reason:
        return {"status": "OUT_OF_MEMORY", "reason": str(reason), "metrics": []}


def serve():
    requests, answers = os.fdopen(REQUESTS), os.fdopen(ANSWERS, "w")
    say = lambda message: print(json.dumps(message), file=answers, flush=True)
    say({"hello": HELLO | {"environment": environment()}})
    for line in requests:
        request = json.loads(line)
        if "finish" in request:
            return say({"goodbye": {}})
        say({"answer": visit(request["measure"], say)})


def main():
    if "--devices" in sys.argv:
        return print(json.dumps([{"device": "cpu", "environment": environment()}]))
    if "--schemas" in sys.argv:
        return print("[]")  # operators of LibTorch: none
    try:
        serve()
    except (ValueError, KeyError) as mistake:
        print(f"numpy_worker: a request that cannot be read: {mistake!r}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
