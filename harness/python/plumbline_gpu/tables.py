"""`Table`: what `read_run` gives, without a library of data frames, and as one of theirs."""

from __future__ import annotations

import importlib
from typing import Any, Iterable, Iterator, Mapping


class Table:
    """Columns of equal length. Iterating gives rows.

    `table["case"]` is a column as a list, `len(table)` counts the rows, `for row in table` gives each
    row as a dict. A number that is not known is `nan`, a text that is not known is "".
    """

    def __init__(self, types: Mapping[str, type], rows: Iterable[tuple] = ()):
        """`types`: str, int, float, or list for lists of texts, by column; `rows` has tuples in that order."""
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

    def to_pandas(self):
        """A `pandas.DataFrame`; ImportError where pandas is not installed."""
        pandas = _imported("pandas", "to_pandas")
        kinds = {str: "object", int: "int64", float: "float64", list: "object"}
        return pandas.DataFrame(
            {name: pandas.Series(self[name], dtype=kinds[kind]) for name, kind in self._types.items()}
        )

    def to_polars(self):
        """A `polars.DataFrame`; ImportError where polars is not installed."""
        polars = _imported("polars", "to_polars")
        kinds = {str: polars.String, int: polars.Int64, float: polars.Float64, list: polars.List(polars.String)}
        return polars.DataFrame(self._columns, schema={name: kinds[kind] for name, kind in self._types.items()})

    def to_pyarrow(self):
        """A `pyarrow.Table`; ImportError where pyarrow is not installed."""
        arrow = _imported("pyarrow", "to_pyarrow")
        kinds = {str: arrow.string(), int: arrow.int64(), float: arrow.float64(), list: arrow.list_(arrow.string())}
        return arrow.table(self._columns, schema=arrow.schema([(n, kinds[kind]) for n, kind in self._types.items()]))


def _imported(library: str, method: str):
    try:
        return importlib.import_module(library)
    except ModuleNotFoundError as missing:
        if missing.name != library:
            raise
        raise ImportError(f"{method}() needs {library}, which is not installed: pip install {library}") from missing
