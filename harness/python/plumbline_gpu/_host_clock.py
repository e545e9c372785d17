"""Visits timed by the host's clock: the time of a Python callable on a CPU.

Makes blocks, warms up and stops like the engine (harness/measure). The loop is Python's, so that times do not depend on
whether the extension module is installed.
"""

from __future__ import annotations

import contextlib
import gc
import math
import statistics
import time
from typing import Any, Callable, Iterator

# Policy of a visit, with the names of run.json.
POLICY: dict[str, Any] = {
    "blocks_min": 8, "blocks_max": 32, "samples": 10, "precision": 0.003, "budget_s": 0.25, "warmup_s": 0.01,
}  # fmt: skip
_SHORT_S = 20e-6  # launches below it are timed in batches
_BATCH_S = 200e-6  # length of a batch
_LEAST_S = 1e-9  # least reading: the step of the clock


def visit(place: Callable[[int], Callable[[], Any]]) -> dict[str, Any]:
    """Measures the callables of `place(number)`, one for each block; returns a dict like the engine's `visit`."""
    begin, launch = time.perf_counter(), place(0)
    batch, launch_s = _warmed_up(launch)
    samples = max(1, min(POLICY["samples"], int(POLICY["budget_s"] / POLICY["blocks_min"] / (launch_s * batch))))
    blocks: list[list[float]] = []
    starts: list[float] = []
    spent = 0.0
    while not _is_finished(blocks, spent):
        launch = place(len(blocks))
        launch()  # loads what is new at this place
        starts.append(time.perf_counter() - begin)
        blocks.append(time_block(launch, samples, batch))
        spent += sum(blocks[-1]) * batch
    return reading_of(blocks, batch, starts)


def reading_of(blocks: list[list[float]], batch: int, starts: list[float]) -> dict[str, Any]:
    return {"metric": "wall_time", "unit": "s", "batch": batch, "floor_s": 0.0, "blocks": blocks, "times_s": starts}


def time_block(launch: Callable[[], Any], samples: int, batch: int) -> list[float]:
    """Seconds of a call, `samples` times, each the mean of `batch` calls."""
    clock, calls, readings = time.perf_counter_ns, range(batch), []
    with _no_collection():
        for _ in range(samples):
            start = clock()
            for _ in calls:
                launch()
            readings.append(max((clock() - start) * 1e-9 / batch, _LEAST_S))
    return readings


def _warmed_up(launch: Callable[[], Any]) -> tuple[int, float]:
    """Calls per sample, and seconds of a call."""
    begin, fastest, batch = time.perf_counter(), math.inf, 1
    while True:
        (reading,) = time_block(launch, 1, batch)
        fastest = min(fastest, reading)
        if time.perf_counter() - begin >= POLICY["warmup_s"]:
            break
        batch = max(1, min(2 * batch, int(1e-3 / fastest)))
    return (math.ceil(_BATCH_S / fastest) if fastest < _SHORT_S else 1), fastest


def _is_finished(blocks: list[list[float]], spent: float) -> bool:
    if len(blocks) < POLICY["blocks_min"]:
        return False
    medians = [statistics.median(block) for block in blocks]
    half = _t95(len(medians) - 1) * statistics.stdev(medians) / math.sqrt(len(medians))
    is_precise = half <= POLICY["precision"] * statistics.fmean(medians)
    return is_precise or spent >= POLICY["budget_s"] or len(blocks) >= POLICY["blocks_max"]


def _t95(df: int) -> float:
    """Student's t for 95 %, within 0.4 % from 7 degrees of freedom on (Abramowitz and Stegun, 26.7.5)."""
    z = 1.959964
    return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Collects garbage between blocks: a collection's time depends on earlier code, not on what is timed."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
