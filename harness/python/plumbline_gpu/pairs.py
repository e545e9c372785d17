"""`compare`: whether one callable is slower than another, measured in pairs at the same places in memory."""

from __future__ import annotations

import dataclasses
import math
import statistics
from typing import Any, Callable

from plumbline_gpu import _html, _text
from plumbline_gpu._arguments import need_cache, need_callables, need_numbers
from plumbline_gpu._placement import Placements
from plumbline_gpu._results import Results
from plumbline_gpu._session import _engine, device_of, measuring

_LOOKS = (6, 12, 24, 48)  # pairs after which a verdict is tried
_SAMPLES = 6  # of a block
_FLOORS = {"cuda": 0.005, "cpu": 0.03}  # the smallest change that counts
_MARGINS = {"cuda": 0.01, "cpu": 0.06}  # SAME: the interval must lie within
_HOT_S = 200e-6  # of a hot batch
_MEANINGS = {
    "SLOWER": "the new one takes longer",
    "FASTER": "the new one takes less time",
    "SAME": "a change of more than ±{margin} is ruled out",
    "UNRESOLVED": "the interval is too wide to tell; repeat it on a quiet machine",
    "WRONG": "the results differ, so nothing was timed",
}


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The result of `compare`. `change` is new / old − 1: above 0 the new one is slower."""

    verdict: str  # SLOWER, FASTER, SAME or UNRESOLVED; WRONG: there is no change
    reason: str  # for WRONG
    change: float | None
    interval: tuple[float, float] | None  # of `change`, at the error rate of a look
    pairs: int
    old: float | None  # seconds, median of the pairs
    new: float | None
    device: dict[str, str]

    def __str__(self) -> str:
        if self.change is None:
            return f"{self.verdict}: {self.reason}"
        (old, new), unit = _text.quantities([self.old, self.new], "s")
        return (f"{self.verdict}: {_text.change(self.change, *self.interval)} after {self.pairs} pairs "
                f"on {self.device['model']}, {old} → {new} {unit}")

    __repr__ = __str__

    def _repr_html_(self) -> str:
        """For notebooks: the facts of `print` as a table, and what the verdict means."""
        meaning = _MEANINGS[self.verdict].format(margin=f"{100 * _MARGINS[_kind(self.device)]:.0f} %")
        rows = [("verdict", f"{_text.marked(self.verdict)}: {meaning}", _text.colour_of(self.verdict))]
        if self.change is None:
            return _html.facts("new against old", [*rows, ("reason", self.reason)])
        (old, new), unit = _text.quantities([self.old, self.new], "s")
        rows += [("change", _text.change(self.change, *self.interval)), ("old", f"{old} {unit}"), ("new", f"{new} {unit}"),
                 ("pairs", str(self.pairs)), ("device", self.device["model"])]
        return _html.facts("new against old", rows)


def compare(
    old: Callable[..., Any],
    new: Callable[..., Any],
    *args: Any,
    cache: str = "cold",
    tolerance: float | None = None,
    device: Any = None,
    false_alarms: float = 0.01,
    seed: int = 1,
    **kwargs: Any,
) -> Comparison:
    """Compares `new(*args, **kwargs)` with `old(*args, **kwargs)`. Their results must agree before and after they are timed.

    A pair is four blocks, old new new old or the reverse, on copies of the arguments at one place in memory. The next
    pair has another place. After 6, 12, 24 and 48 pairs it checks whether the change or its absence is clear, and ends
    then. Each check has a quarter of `false_alarms`.

    Args:
        cache: "cold" (L2 emptied before each call), or "hot" (calls back to back).
        tolerance: allowed relative L2 error between both results; None: chosen by their type.
        false_alarms: how often two equal callables may be called different.

    Returns:
        A Comparison. Raises what the callables raise, ValueError and TypeError for arguments that are not allowed.
    """
    need_callables(old=old, new=new)
    need_cache(cache)
    need_numbers(0, tolerance=0 if tolerance is None else tolerance)
    if not 0 < false_alarms < 0.5:
        raise ValueError(f"false_alarms: {false_alarms}; above 0, below 0.5")
    with measuring(device_of((args, kwargs), device)) as engine:
        placements, sides = Placements(args, kwargs, seed), (old, new)
        if wrong := _difference(sides, placements, tolerance, args, kwargs):
            return Comparison("WRONG", wrong, None, None, 0, None, None, engine.device)
        pairs = _Pairs(engine, sides, placements, cache if engine.is_cuda else "hot")
        kind = _kind(engine.device)
        for look in _LOOKS:
            pairs.measure_until(look)
            verdict, found = _verdict(pairs.differences, false_alarms / len(_LOOKS), kind)
            if verdict != "UNRESOLVED":
                break
        if wrong := _difference(sides, placements, tolerance, args, kwargs):
            return Comparison("WRONG", f"after they were timed: {wrong}", None, None, look, None, None, engine.device)
        change, low, high = (math.expm1(x) for x in found)
        return Comparison(verdict, "", change, (low, high), look, statistics.median(pairs.times[0]),
                          statistics.median(pairs.times[1]), engine.device)


def _kind(device):
    """Key of _FLOORS and _MARGINS."""
    return "cpu" if device.get("name") == "cpu" else "cuda"


def _difference(sides, placements, tolerance, args, kwargs):
    old, new = (Results(side, None, tolerance) for side in sides)
    old.verify(*placements.at(-1), args, kwargs)
    new.launch_of(*placements.at(-1))()
    return new.differs_from(old)


def _verdict(differences, rate, kind):
    """The verdict after a check, and (change, low, high) as logarithms."""
    change, low, high, p = _engine.mean_interval(differences, 1 - rate)
    floor, margin = math.log1p(_FLOORS[kind]), math.log1p(_MARGINS[kind])
    if p <= rate and abs(change) >= floor:
        return ("SLOWER" if change > 0 else "FASTER"), (change, low, high)
    is_same = -margin < low and high < margin
    return ("SAME" if is_same else "UNRESOLVED"), (change, low, high)


class _Pairs:
    """Measures pair after pair. Differences are of logarithms: new − old."""

    def __init__(self, engine, sides, placements, cache):
        self._engine, self._sides, self._placements, self._cache = engine, sides, placements, cache
        self.differences, self.times = [], ([], [])
        launches = self._at(-2)
        self._is_held = all(engine.can_be_held(launch) for launch in launches)
        self._batch = 1
        warm = [self._block(side, launch) for launch in launches for side in ("hot", "hot")]
        if cache == "hot" and self._is_held:
            self._batch = max(1, min(64, math.ceil(_HOT_S / max(min(warm), 1e-7))))

    def measure_until(self, count):
        while len(self.differences) < count:
            number = len(self.differences)
            launches = self._at(number)
            for launch in launches:  # the first launch at a place loads what is new there
                launch()
            order = (0, 1, 1, 0) if number % 2 == 0 else (1, 0, 0, 1)
            logs = ([], [])
            for side in order:
                logs[side].append(math.log(self._block(self._cache, launches[side])))
            means = [statistics.fmean(of_side) for of_side in logs]
            self.differences.append(means[1] - means[0])
            for times, mean in zip(self.times, means):
                times.append(math.exp(mean))

    def _at(self, number):
        args, kwargs = self._placements.at(number)
        return [lambda fn=fn: fn(*args, **kwargs) for fn in self._sides]

    def _block(self, cache, launch):
        batch = self._batch if cache == "hot" else 1
        reading = self._engine.time_block(launch, cache=cache, samples=_SAMPLES, batch=batch, is_held=self._is_held)
        return max(statistics.median(reading["samples"]), 1e-9)
