"""Numbers and verdicts as a reader sees them, the same in `print` and in a notebook."""

from __future__ import annotations

import math

_PREFIXES = {"T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "": 1, "m": 1e-3, "µ": 1e-6, "n": 1e-9}
# The usual prefixes of each unit, the same as in reports.
_UNITS = {"s": ("", "m", "µ", "n"), "B": ("T", "G", "M", "k", ""), "J": ("k", "", "m", "µ"), "W": ("k", "", "m"),
          "Hz": ("G", "M", "k", ""), "FLOP/s": ("T", "G", "M"), "B/s": ("T", "G", "M")}  # fmt: skip
UNKNOWN = "–"

# The mark beside a verdict, and the name of its colour.
_VERDICTS = {
    "SLOWER": ("▲", "slower"), "LOOKS_SLOWER": ("▲", "slower"), "FASTER": ("▼", "faster"), "LOOKS_FASTER": ("▼", "faster"),
    "SAME": ("●", "same"), "FIXED": ("●", "same"), "UNRESOLVED": ("◇", "unresolved"), "NOT_JUDGED": ("○", "unjudged"),
    "WRONG": ("✕", "broken"), "BROKEN": ("✕", "broken"),
}  # fmt: skip


def marked(verdict: str) -> str:
    """The verdict after its mark."""
    return f"{_VERDICTS[verdict][0]} {verdict}" if verdict in _VERDICTS else verdict


def colour_of(verdict: str) -> str:
    return _VERDICTS[verdict][1] if verdict in _VERDICTS else ""


def quantities(values: list, unit: str) -> tuple[list[str], str]:
    """Values in one unit that suits the largest, and that unit."""
    known = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(known, default=0)
    prefixes = _UNITS.get(unit, ("",))
    prefix = next((each for each in prefixes if largest >= _PREFIXES[each]), prefixes[-1])
    is_unknown = [value is None or math.isnan(value) for value in values]
    texts = [UNKNOWN if no else f"{value / _PREFIXES[prefix]:.4g}" for value, no in zip(values, is_unknown)]
    return texts, prefix + unit if unit != "1" else ""


def quantity(value, unit: str) -> str:
    """A value with its unit."""
    (text,), name = quantities([value], unit)
    return text if text == UNKNOWN else f"{text} {name}".rstrip()


def with_interval(value, low, high, unit: str) -> str:
    """A value and its interval, in one unit."""
    (middle, least, most), name = quantities([value, low, high], unit)
    return f"{middle} {name} [{least}, {most}]"


def change(share, low, high) -> str:
    """A change in per cent with its sign, and its interval if there is one."""
    if share is None or math.isnan(share):
        return UNKNOWN
    text = f"{100 * share:+.2f} %"
    return text if math.isnan(low) or math.isnan(high) else f"{text} [{100 * low:+.2f}, {100 * high:+.2f}]"
