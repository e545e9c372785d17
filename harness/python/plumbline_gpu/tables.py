"""`Table`: the tables of `read_run`, usable without a data frame library and convertible to data frames."""

from __future__ import annotations

import importlib
import math
from typing import Any, Iterable, Iterator, Mapping

from plumbline_gpu import _html, _text

# The columns that `print` and a notebook show, in this order; a column that is empty in all rows is omitted.
_SHOWN = ("case", "metric", "run", "round", "block", "sample", "verdict", "change", "baseline", "candidate", "estimate",
          "value", "blocks", "set_aside", "status", "reason")  # fmt: skip
_LONG = ("case", "reason")
_COLOURED = ("verdict", "change")
_OF_UNIT = ("baseline", "candidate", "estimate", "value")
_SAYS_NOTHING = {"status": "OK", "set_aside": "0"}
_ROWS_SHOWN = 20


class Table:
    """Columns of equal length. Iterating gives rows.

    `table["case"]` is a column as a list, `len(table)` counts the rows, `for row in table` gives each
    row as a dict. A number that is not known is `nan`, a text that is not known is "".
    """

    def __init__(self, types: Mapping[str, type], rows: Iterable[tuple] = ()):
        """`types`: str, int, float, or list for lists of texts, by column; `rows`: tuples in that order."""
        self._types = dict(types)
        columns = [list(column) for column in zip(*rows)] or [[] for _ in self._types]
        self._columns = dict(zip(self._types, columns))

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getitem__(self, column: str) -> list:
        if column not in self._columns:
            raise KeyError(f"no column '{column}'; there are {', '.join(self._columns)}")
        return self._columns[column]

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for values in zip(*self._columns.values()):
            yield dict(zip(self._columns, values))

    def __repr__(self) -> str:
        return f"Table({len(self)} rows: {', '.join(self._columns)})"

    def __str__(self) -> str:
        names, rows = self._shown()
        widths = [max(map(len, texts)) for texts in zip(names, *rows)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in (names, *rows)]
        return "\n".join([self._title(names), *lines])

    def _repr_html_(self) -> str:
        """For notebooks: the same rows and numbers as `print`."""
        names, rows = self._shown()
        kinds = {name: "long" if name in _LONG else "short" for name in names}
        kinds |= {name: "number" for name in names if name in _OF_UNIT or self._types[name] is int}
        colours = [_text.colour_of(verdict) for verdict in self._columns.get("verdict", [])[: len(rows)]]
        cells = [[(text, *colours[i:i + 1]) if name in _COLOURED else (text,) for name, text in zip(names, row)]
                 for i, row in enumerate(rows)]  # fmt: skip
        return _html.table(self._title(names), kinds, cells)

    def _title(self, names: list[str]) -> str:
        if len(self) == 0:
            return f"0 rows with {len(self.columns)} columns"
        return f"{min(len(self), _ROWS_SHOWN)} of {len(self)} rows, {len(names)} of {len(self.columns)} columns"

    def _shown(self) -> tuple[list[str], list[list[str]]]:
        """The columns and rows to show, as texts."""
        rows = [row for row, _ in zip(self, range(_ROWS_SHOWN))]
        texts = {name: [_cell(name, row) for row in rows] for name in _SHOWN if name in self._columns}
        silent = {"", _text.UNKNOWN}
        kept = [name for name, column in texts.items() if set(column) - silent - {_SAYS_NOTHING.get(name)}]
        return kept, [list(row) for row in zip(*(texts[name] for name in kept))]

    def to_pandas(self):
        """A `pandas.DataFrame`; ImportError if pandas is not installed."""
        pandas = _imported("pandas", "to_pandas")
        kinds = {str: "object", int: "int64", float: "float64", list: "object"}
        return pandas.DataFrame(
            {name: pandas.Series(self[name], dtype=kinds[kind]) for name, kind in self._types.items()}
        )

    def to_polars(self):
        """A `polars.DataFrame`; ImportError if polars is not installed."""
        polars = _imported("polars", "to_polars")
        kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, list: polars.List(polars.String)}
        return polars.DataFrame(self._columns, schema={name: kinds[kind] for name, kind in self._types.items()})

    def to_pyarrow(self):
        """A `pyarrow.Table`; ImportError if pyarrow is not installed."""
        arrow = _imported("pyarrow", "to_pyarrow")
        kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), list: arrow.list_(arrow.string())}
        return arrow.table(self._columns, schema=arrow.schema([(n, kinds[kind]) for n, kind in self._types.items()]))


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row[name]
    if name == "verdict":
        return _text.marked(value)
    if name == "change":
        return _text.change(value, row["change_low"], row["change_high"])
    if name in _OF_UNIT:
        return _text.quantity(value, row["unit"])
    return _text.UNKNOWN if isinstance(value, float) and math.isnan(value) else str(value)


def _imported(library: str, method: str):
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as missing:
        if missing.name != library:
            raise
        raise ImportError(f"{method}() needs {library}, which is not installed: pip install {library}") from missing
