"""Rows of results.csv and of baselines. The formats are those of harness/store/README.md."""

from __future__ import annotations

import contextlib
import csv
import math
import pathlib
import sys
from typing import Any, Callable, Iterator

_STATUSES = ("OK", "WRONG", "UNVERIFIED", "UNSUPPORTED", "EXCLUDED", "CRASHED", "TIMEOUT", "OUT_OF_MEMORY",
             "THROTTLED", "INTERRUPTED")  # fmt: skip


class ReadError(ValueError):
    """A file cannot be read. The text has file, line, what was found and what was expected."""


def _number(text: str) -> float:
    return float(text) if text else math.nan


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError
    return number


def _texts(text: str) -> list[str]:
    return text.split(";") if text else []


def _numbers(text: str) -> list[float]:
    return [float(piece) for piece in _texts(text)]


def _wholes(text: str) -> list[int]:
    return [int(piece) for piece in _texts(text)]


def _samples(text: str) -> list[list[float]]:
    return [[float(piece) for piece in block.split(";")] for block in text.split("|")] if text else []


def _status(text: str) -> str:
    if text not in _STATUSES:
        raise ValueError
    return text


def _part(text: str) -> tuple[int, int]:
    part, parts = text.split("/")
    if not 1 <= int(part) <= int(parts):
        raise ValueError
    return int(part), int(parts)


# What a field holds: how it is read, and what is expected if it cannot be read.
TEXT = (str, "a text")
NUMBER = (_number, "a number, or nothing where it is unknown")
WHOLE = (_whole, "an integer from 0")
TEXTS = (_texts, "texts with ';' between them")
NUMBERS = (_numbers, "numbers with ';' between them")
WHOLES = (_wholes, "integers with ';' between them")
SAMPLES = (_samples, "numbers with ';' between samples and '|' between blocks")
STATUS = (_status, f"one of {' '.join(_STATUSES)}")
PART = (_part, "a row and the rows of its visit, such as 1/2")


class Rows:
    """The rows of a CSV file as dicts, by column. `torn`: how the file ends inside a row, or "".

    `columns`: by name, the form and the default value for files without the column; a required column has no default.
    Other columns of the file are ignored.
    """

    def __init__(self, path: pathlib.Path, columns: dict[str, tuple]):
        self.path, self.torn, self._columns = path, "", columns

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(first line of the row, row). Raises ReadError."""
        lines = self._lines()
        number, header = next(lines, (1, None))
        if header is None:
            self.torn = self.torn or f"{self.path}:1: found an empty file, expected a header"
            return
        self._check(header)
        absent = {name: form[1] for name, form in self._columns.items() if name not in header}
        for number, fields in lines:
            if len(fields) != len(header):
                found = f"found {len(fields)} fields, expected {len(header)} as in the header"
                raise ReadError(f"{self.path}:{number}: {found}")
            row = {name: value() if callable(value) else value for name, value in absent.items()}
            for name, text in zip(header, fields):
                if name in self._columns:
                    row[name] = self._parsed(number, name, text)
            yield number, row

    def _check(self, header: list[str]) -> None:
        for name, form in self._columns.items():
            if len(form) == 1 and name not in header:
                raise ReadError(f"{self.path}:1: column {name} is missing, found {','.join(header)[:60]}")
        if twice := [name for name in header if header.count(name) > 1]:
            raise ReadError(f"{self.path}:1: the column '{twice[0]}' appears twice")

    def _parsed(self, number: int, name: str, text: str) -> Any:
        read, expected = self._columns[name][0]
        try:
            return read(text)
        except ValueError:
            shown = text if len(text) <= 60 else text[:60] + "…"
            raise ReadError(f"{self.path}:{number}: {name}: found '{shown}', expected {expected}") from None

    def _lines(self) -> Iterator[tuple[int, list[str]]]:
        """Complete rows, each with its first line."""
        is_whole = _ends_in_newline(self.path)
        begin, held = 1, None
        with open(self.path, newline="", encoding="utf-8-sig", errors="replace") as file, _any_field_size():
            reader = csv.reader(file, strict=True)
            try:
                for fields in reader:
                    if held:
                        yield held
                    held, begin = (begin, fields) if fields else None, reader.line_num + 1
            except csv.Error as problem:
                if "unexpected end of data" not in str(problem):
                    raise ReadError(f"{self.path}:{reader.line_num}: found a quote inside a field, expected quotes "
                                    "around the whole field, those in it doubled") from None
                if held:
                    yield held
                self.torn = f"{self.path}:{begin}: found the end of the file inside quotes, expected a whole row"
                return
        if held and is_whole:
            yield held
        elif held:
            self.torn = f"{self.path}:{held[0]}: found the end of the file inside the row, expected a newline behind it"


def _ends_in_newline(path: pathlib.Path) -> bool:
    with open(path, "rb") as file:
        file.seek(0, 2)
        if file.tell() == 0:
            return True
        file.seek(-1, 2)
        return file.read() == b"\n"


@contextlib.contextmanager
def _any_field_size() -> Iterator[None]:
    """Raises the csv module's limit: a visit of a short launch has more samples than it reads by default."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)
