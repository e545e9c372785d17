"""The kernels, copies and memsets that a call gives a GPU, traced by torch.profiler (CUPTI)."""

from __future__ import annotations

from typing import Any, Callable, Iterable, NamedTuple


class Kernel(NamedTuple):
    """A piece of the GPU's work."""

    name: str
    time: float  # seconds, with a warm cache


def kernels_of(launch: Callable[[], Any]) -> tuple[Kernel, ...]:
    """What one launch gives the GPU, in the order in which it starts. Raises what the launch raises."""
    _traced(launch)  # starts CUPTI, which may miss the first kernels
    return work_in(_traced(launch))


def work_in(events: Iterable[Any]) -> tuple[Kernel, ...]:
    """The GPU's work among the events of a profile."""
    work = [event for event in events if event.device_type.name == "CUDA"]
    work.sort(key=lambda event: event.time_range.start)
    return tuple(Kernel(event.name, 1e-6 * event.time_range.elapsed_us()) for event in work)


def _traced(launch):
    import torch
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA]) as traced:
        launch()
        torch.cuda.synchronize()
    return traced.events()
