"""`do_bench`: triton.testing.do_bench with this engine. Only the import has to be replaced."""

from __future__ import annotations

import statistics
from typing import Any, Callable, Sequence

from plumbline_gpu._arguments import need_callables
from plumbline_gpu._results import readings_of
from plumbline_gpu._session import device_name, measuring

_SAMPLES = 6  # of a block
_OF_A_READING_MS = 0.25  # time to empty the cache, hold the stream and wait for it, on an H100
_REST = 1.0  # pause before a long launch, as a share of its time above 100 µs: keeps power, and so the clock, even
_PRECISION, _BUDGET_S = 0.0, 60.0  # no limits: the number of blocks ends it
_BLOCKS_MIN, _BLOCKS_MAX = 2, 1000
_RETURN_MODES = ("min", "max", "mean", "median", "all")


def do_bench(
    fn: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    grad_to_none: Sequence[Any] | None = None,
    quantiles: Sequence[float] | None = None,
    return_mode: str = "mean",
    *,
    device: Any = None,
) -> float | list[float]:
    """Milliseconds of one call of `fn` on a GPU, each after the L2 cache was emptied.

    Signature and meaning are those of triton.testing.do_bench, with three differences. The stream is held while `fn`
    enqueues its work, so that readings never include the host's time. The reading of an empty kernel's events is
    subtracted. The cache is emptied by reads, which leave no dirty lines.

    Args:
        fn: called without arguments.
        warmup: milliseconds of launches before the first reading.
        rep: milliseconds of launches that are read.
        grad_to_none: tensors whose gradient is dropped before each launch.
        quantiles: numbers from 0 to 1; the list of these quantiles is returned.
        return_mode: "min", "max", "mean", "median", or "all" for the list of all readings.
        device: "cuda", "cuda:1" or "cpu"; the current GPU, or the CPU if there is none. A call on
            a CPU, or one that waits for the GPU, is timed by the host's clock.

    Returns:
        A number of milliseconds, or a list of them. Raises what `fn` raises.
    """
    need_callables(fn=fn)
    if return_mode not in _RETURN_MODES:
        raise ValueError(f"return_mode: {return_mode!r} is unknown; allowed: {', '.join(_RETURN_MODES)}")
    if quantiles is not None and any(not 0 <= q <= 1 for q in quantiles):
        raise ValueError(f"quantiles: {quantiles!r}; each is from 0 to 1")
    if warmup < 0 or rep <= 0:
        raise ValueError(f"warmup={warmup}, rep={rep}: milliseconds, rep above 0")

    def launch():
        for tensor in grad_to_none or ():
            tensor.grad = None
        fn()

    with measuring(device_name(device)) as engine:
        blocks = _blocks(engine, launch, rep)
        visited = engine.visit(
            lambda _: launch,
            cache="cold" if engine.is_cuda else "hot",
            blocks_min=blocks,
            blocks_max=blocks,
            samples=_SAMPLES,
            precision=_PRECISION,
            budget_s=_BUDGET_S,
            warmup_s=warmup * 1e-3,
            rest=_REST,
        )
    samples = [1e3 * sample for block in readings_of(visited)["blocks"] for sample in block]
    return _summary(samples, quantiles, return_mode)


def _blocks(engine, launch, rep):
    """How many take about `rep` milliseconds."""
    is_held = engine.can_be_held(launch)
    reading = engine.time_block(launch, cache="hot", samples=3, is_held=is_held)
    launch_ms = 1e3 * max(statistics.median(reading["samples"]), 0)
    reading_ms = launch_ms + (_OF_A_READING_MS if engine.is_cuda else 0)
    return max(_BLOCKS_MIN, min(_BLOCKS_MAX, round(rep / max(reading_ms, 1e-4) / _SAMPLES)))


def _summary(samples, quantiles, return_mode):
    import torch

    if quantiles is not None:
        found = torch.quantile(torch.tensor(samples, dtype=torch.float64), torch.tensor(quantiles, dtype=torch.float64))
        found = found.tolist()
        return found[0] if len(found) == 1 else found
    if return_mode == "all":
        return samples
    return {"min": min, "max": max, "mean": statistics.fmean, "median": statistics.median}[return_mode](samples)
