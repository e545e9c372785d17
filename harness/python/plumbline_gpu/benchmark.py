"""`Benchmark`: the value of the fixture `plumbline_bench`. It is called like pytest-benchmark's fixture."""

from __future__ import annotations

import statistics
import sys
from typing import Any, Callable, Mapping, Sequence

from plumbline_gpu import _host_clock
from plumbline_gpu._results import readings_of

_IDLE_S = 0.5e-6  # of a GPU: shorter than any kernel
_SAMPLES = 10  # per block of `pedantic`


class Benchmark:
    """Measures one callable in a test.

    `extra_info` is a dict that goes into run.json. `stats` has, after the measurement, seconds of a call: min,
    max, mean, median, stddev; and `rounds` (samples) and `iterations` (calls per sample).
    """

    def __init__(self, name: str, fullname: str, group: str | None, params: dict[str, Any], is_measuring: bool):
        self.name, self.fullname, self.group, self.params = name, fullname, group, params
        self.extra_info: dict[str, Any] = {}
        self.stats: dict[str, float] | None = None
        self.device: dict[str, str] = {}  # facts about the GPU that measured, with the names of run.json
        self.readings: list[dict[str, Any]] = []
        self.failure: Exception | None = None  # raised by the callable
        self.is_used = False
        self._is_measuring = is_measuring

    @property
    def disabled(self) -> bool:
        """Whether pytest runs without --plumbline: then each callable is called once."""
        return not self._is_measuring

    def __call__(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Measures `function(*args, **kwargs)` and returns what its first call returned.

        Raises what the function raises.
        """
        self._begin(function)
        result = self._called(function, *args, **kwargs)
        if self._is_measuring:
            self._keep(*self._called(_measured, function, args, kwargs))
        return result

    def pedantic(
        self, target: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None,
        setup: Callable[[], Any] | None = None, rounds: int = 1, warmup_rounds: int = 0, iterations: int = 1,
    ) -> Any:  # fmt: skip
        """Measures exactly `rounds` samples of `iterations` calls each, after `warmup_rounds` of them.

        `setup` is called before each sample, outside of what is timed; it may return `(args, kwargs)` for the
        target. Returns what the last call returned.
        """
        self._begin(target)
        counts = (("rounds", rounds, 1), ("warmup_rounds", warmup_rounds, 0), ("iterations", iterations, 1))
        for name, number, least in counts:
            if not isinstance(number, int) or number < least:
                raise ValueError(f"{name}: found {number!r}, expected an integer from {least}")
        if setup is not None and iterations > 1:
            raise ValueError("iterations: a setup is for one call, so that it needs iterations=1")
        if setup is not None and (args or kwargs):
            raise ValueError("setup: it returns the arguments, so that args and kwargs must be empty")
        call = _Call(target, args, dict(kwargs or {}), setup)
        if not self._is_measuring:
            call.prepare()
            return self._called(call)
        self._keep(*self._called(_counted, call, rounds, warmup_rounds, iterations))
        return call.result

    def _begin(self, function: Callable[..., Any]) -> None:
        if self.is_used:
            raise RuntimeError(f"{self.name}: the fixture was used already; a test measures one callable")
        if not callable(function):
            raise TypeError(f"{self.name}: found {function!r}, expected a callable and then its arguments")
        self.is_used = True

    def _called(self, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as failure:
            self.failure = failure
            raise

    def _keep(self, readings: list[dict[str, Any]], device: dict[str, str]) -> None:
        self.readings, self.device = readings, device
        samples = [sample for block in readings[0]["blocks"] for sample in block]
        self.stats = {
            "min": min(samples),
            "max": max(samples),
            "mean": statistics.fmean(samples),
            "median": statistics.median(samples),
            "stddev": statistics.stdev(samples) if len(samples) > 1 else 0.0,
            "rounds": len(samples),
            "iterations": readings[0]["batch"],
        }


class _Call:
    """A target with the arguments from its setup; keeps the last result."""

    def __init__(self, target, args, kwargs, setup):
        self._target, self.args, self.kwargs, self.setup = target, args, kwargs, setup
        self.result = None

    def prepare(self) -> None:
        if self.setup is not None and (given := self.setup()) is not None:
            self.args, self.kwargs = given

    def __call__(self) -> Any:
        self.result = self._target(*self.args, **self.kwargs)
        return self.result


def _measured(function, args, kwargs) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Readings, and facts about the GPU that measured; none for a CPU."""
    place = _places(function, args, kwargs)
    if not _uses_gpu():
        return [_host_clock.visit(place)], {}
    from plumbline_gpu import _session

    with _session.measuring(_session.device_of((args, kwargs))) as engine:
        if engine.is_cuda and not _is_idle(engine, place(-1)):
            visited = engine.visit(
                place, cache="cold", blocks_min=8, blocks_max=24, samples=6, precision=0.003, budget_s=0.08,
                warmup_s=0.01, rest=3.0,
            )  # fmt: skip
            return [readings_of(visited)], engine.environment
    return [_host_clock.visit(place)], {}


def _counted(call: _Call, rounds: int, warmup_rounds: int, iterations: int):
    """Like `_measured`, but the caller gives the number of samples."""
    for _ in range(warmup_rounds):
        call.prepare()
        _host_clock.time_block(call, 1, iterations)
    if not _uses_gpu():
        return [_blocks_of(call, rounds, iterations, lambda: _host_clock.time_block(call, 1, iterations)[0])], {}
    from plumbline_gpu import _session

    with _session.measuring(_session.device_of((call.args, call.kwargs))) as engine:
        call.prepare()
        if not engine.is_cuda or _is_idle(engine, call):
            return [_blocks_of(call, rounds, iterations, lambda: _host_clock.time_block(call, 1, iterations)[0])], {}
        is_held = engine.can_be_held(call)

        def read():
            return engine.time_block(call, cache="hot", samples=1, batch=iterations, is_held=is_held)["samples"][0]

        reading = _blocks_of(call, rounds, iterations, read)
        return [reading | {"metric": "gpu_time_hot" if is_held else "wall_time"}], engine.environment


def _blocks_of(call: _Call, rounds: int, iterations: int, read: Callable[[], float]) -> dict[str, Any]:
    samples = []
    for _ in range(rounds):
        call.prepare()
        samples.append(read())
    blocks = [samples[i : i + _SAMPLES] for i in range(0, len(samples), _SAMPLES)]
    return _host_clock.reading_of(blocks, iterations, [])


def _places(function, args, kwargs) -> Callable[[int], Callable[[], Any]]:
    """Copies tensors among the arguments to another place for each block; passes others unchanged."""
    if "torch" not in sys.modules:
        return lambda number: lambda: function(*args, **kwargs)
    from plumbline_gpu._placement import Placements

    placements = Placements(args, kwargs)

    def place(number: int) -> Callable[[], Any]:
        placed, named = placements.at(number)
        return lambda: function(*placed, **named)

    return place


def _uses_gpu() -> bool:
    """Whether this process has used a GPU through torch."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized()


def _is_idle(engine, launch: Callable[[], Any]) -> bool:
    """Whether the launch gives the GPU no work: then it is timed on the CPU."""
    if not engine.can_be_held(launch):
        return False
    return statistics.median(engine.time_block(launch, cache="hot", samples=5, is_held=True)["samples"]) < _IDLE_S

