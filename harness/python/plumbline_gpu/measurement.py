"""`measure`: the time of a call with its interval, on fresh copies of its arguments."""

from __future__ import annotations

import dataclasses
import statistics
from typing import Any, Callable

from plumbline_gpu import _html, _text
from plumbline_gpu._arguments import need_cache, need_callables, need_numbers
from plumbline_gpu._kernels import Kernel, kernels_of
from plumbline_gpu._placement import Placements
from plumbline_gpu._results import Results, readings_of
from plumbline_gpu._session import _engine, device_of, measuring

CONFIDENCE = 0.95


@dataclasses.dataclass(frozen=True)
class Result:
    """The result of `measure`. Times are seconds of one call."""

    name: str
    status: str  # "OK", or "WRONG": then there is no time
    reason: str  # for WRONG
    metric: str  # gpu_time_cold, gpu_time_hot or wall_time
    time: float | None  # mean of the blocks' medians
    interval: tuple[float, float] | None  # of `time`, 95 %, from differences between placements
    samples: list[list[float]]  # by block
    clock: float | None  # Hz, of the multiprocessors, median of the blocks
    device: dict[str, str]
    flags: tuple[str, ...]  # doubts about the measurement, in words
    kernels: tuple[Kernel, ...] = ()  # of one call, if they were asked for

    def __str__(self) -> str:
        head = f"{self.name}  {self.device['model']}"
        if self.time is None:
            return f"{head}\n{self.status}: {self.reason}"
        text = f"{head}\n{self.metric}  {_text.with_interval(self.time, *self.interval, 's')}"
        traced = [f"  {_text.quantity(kernel.time, 's')}  {kernel.name}" for kernel in self.kernels]
        return "\n".join([text, *traced, *(f"note: {flag}" for flag in self.flags)])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks: the facts of `print`, as a table."""
        rows = [("device", self.device["model"])]
        if self.time is None:
            rows += [("result", _text.marked(self.status), _text.colour_of(self.status)), ("reason", self.reason)]
        else:
            rows += [(self.metric, _text.with_interval(self.time, *self.interval, "s"))]
            rows += [(_text.quantity(kernel.time, "s"), kernel.name) for kernel in self.kernels]
        return _html.facts(self.name, [*rows, *(("note", flag) for flag in self.flags)])


def measure(
    fn: Callable[..., Any],
    *args: Any,
    cache: str = "cold",
    reference: Callable[..., Any] | None = None,
    tolerance: float | None = None,
    name: str | None = None,
    device: Any = None,
    precision: float = 0.003,
    budget_s: float = 0.08,
    kernels: bool = False,
    seed: int = 1,
    **kwargs: Any,
) -> Result:
    """Measures `fn(*args, **kwargs)`.

    Tensors among the arguments are copied to another place in memory for each block. The results
    of the first call are compared with `reference(*args, **kwargs)`, with floating-point arguments
    in float64. The results of the last call are compared with those of the first. A wrong result
    has no time.

    Args:
        cache: "cold" (L2 emptied before each call), or "hot" (calls back to back).
        reference: a callable with the same arguments; None: results are not verified.
        tolerance: allowed relative L2 error; None: chosen by the type of the result.
        name: name of the result; None: the callable's own name.
        precision, budget_s: ends when the interval is within this share of the time, or after this
            many seconds of calls.
        kernels: whether a further call is traced, for `Result.kernels`. The first trace of a process takes a second.

    If `fn` has a keyword of one of these names, bind it first: `functools.partial(fn, device="cuda")`.

    Returns:
        A Result. Raises what `fn` raises, ValueError and TypeError for arguments that are not allowed.
    """
    need_callables(fn=fn, reference=fn if reference is None else reference)
    need_cache(cache)
    need_numbers(0, tolerance=0 if tolerance is None else tolerance, precision=precision, budget_s=budget_s)
    name = name or getattr(fn, "__name__", type(fn).__name__)
    with measuring(device_of((args, kwargs), device)) as engine:
        placements, results = Placements(args, kwargs, seed), Results(fn, reference, tolerance)
        first = placements.at(-1)
        if wrong := results.verify(first[0], first[1], args, kwargs):
            return _wrong(name, wrong, engine)
        visited = engine.visit(
            lambda number: results.launch_of(*placements.at(number)),
            cache=cache if engine.is_cuda else "hot",
            blocks_min=8, blocks_max=24, samples=6,
            precision=precision, budget_s=budget_s, warmup_s=0.01, rest=3.0,
        )  # fmt: skip
        engine.synchronize()
        if wrong := results.compare_last():
            return _wrong(name, wrong, engine)
        traced = kernels_of(results.launch_of(*placements.at(-1))) if kernels and engine.is_cuda else ()
        return _measured(name, readings_of(visited), engine.device, traced)


def _wrong(name, reason, engine):
    return Result(name, "WRONG", reason, "", None, None, [], None, engine.device, ())


def _measured(name, metric, device, kernels):
    blocks = [b for b, cause in zip(metric["blocks"], metric["causes"] or [""] * len(metric["blocks"])) if not cause]
    blocks = blocks or metric["blocks"]
    medians = [statistics.median(block) for block in blocks]
    if len(medians) > 1:
        time, low, high, _ = _engine.mean_interval(medians, CONFIDENCE)
    else:
        time, low, high = medians[0], float("-inf"), float("inf")
    clocks = [c for c in metric["clocks_hz"] if c > 0]
    return Result(name, "OK", "", metric["metric"], time, (low, high), blocks,
                  statistics.median(clocks) if clocks else None, device, tuple(metric["flags"]), kernels)
