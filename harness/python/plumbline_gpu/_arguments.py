"""Checks of arguments. What is wrong is named with the argument and with what is allowed."""

from __future__ import annotations

from typing import Any

_CACHES = ("cold", "hot")


def need_callables(**named: Any) -> None:
    """Raises TypeError for the first one that cannot be called."""
    for name, value in named.items():
        if not callable(value):
            raise TypeError(f"{name}: found a value of type {type(value).__name__}, expected a callable")


def need_cache(cache: str) -> None:
    if cache not in _CACHES:
        raise ValueError(f"cache: {cache!r} is unknown; allowed: {', '.join(map(repr, _CACHES))}")


def need_numbers(least: float, **named: float) -> None:
    """Raises ValueError for the first one that is below `least` or no number."""
    for name, value in named.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value >= least:
            raise ValueError(f"{name}: found {value!r}, expected a number from {least:g} on")
