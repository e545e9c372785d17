"""`python3 -m plumbline_gpu.parquet RUN -o FILE`: a run, or the finished runs of a folder, as a Parquet file.

Written by pyarrow, which must be installed: pip install pyarrow.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import sys

from plumbline_gpu._csv_files import ReadError
from plumbline_gpu.runs import Run, read_run
from plumbline_gpu.tables import Table, _imported

TABLES = ("visits", "samples", "verdicts")


def write_parquet(source: str | os.PathLike, output: str | os.PathLike, table: str = "visits") -> int:
    """Writes a table of `read_run` as a Parquet file; an existing file is replaced as a whole.

    Args:
        source: a run directory, a baseline, or a folder of runs, of which the finished ones count.
        table: `visits`, `samples` or `verdicts`.

    Returns:
        The number of runs. Columns before those of the table: `run` (name of the directory), `started_at`, `commit`
        and `device_class`. Each run is a row group. Raises ReadError for what cannot be read, ImportError without
        pyarrow.
    """
    if table not in TABLES:
        raise ValueError(f"table '{table}'; allowed: {', '.join(TABLES)}")
    _imported("pyarrow", "write_parquet")
    parquet = _imported("pyarrow.parquet", "write_parquet")
    output = pathlib.Path(output)
    temporary = output.with_name(f"{output.name}.tmp{os.getpid()}")
    runs, writer = 0, None
    try:
        for path in _runs_of(pathlib.Path(source)):
            run = read_run(path)
            if path != pathlib.Path(source) and not run.info.get("finished_at"):
                print(f"note: {path} has not finished and is left out", file=sys.stderr)
                continue
            for warning in run.warnings:
                print(f"note: {warning}", file=sys.stderr)
            rows = _with_run(run, path, getattr(run, table)).to_pyarrow()
            writer = writer or parquet.ParquetWriter(temporary, rows.schema)
            writer.write_table(rows)
            runs += 1
        if writer is None:
            raise ReadError(f"{source}: found no finished run in it")
        writer.close()
        os.replace(temporary, output)
    finally:
        temporary.unlink(missing_ok=True)
    return runs


def _runs_of(source: pathlib.Path) -> list[pathlib.Path]:
    if not source.is_dir() or (source / "run.json").is_file():
        return [source]
    return sorted(path.parent for path in source.glob("*/run.json"))


def _with_run(run: Run, path: pathlib.Path, table: Table) -> Table:
    environment = run.info.get("environment") or {}
    facts = {"run": path.resolve().name, "started_at": run.info.get("started_at") or ""}
    facts |= {name: environment.get(name) or "" for name in ("commit", "device_class")}
    own = {name: kind for name, kind in table._types.items() if name not in facts}
    rows = zip(*(table[name] for name in own)) if own else ()
    return Table({name: str for name in facts} | own, ((*facts.values(), *row) for row in rows))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python3 -m plumbline_gpu.parquet", description=__doc__.splitlines()[0])
    parser.add_argument("source", metavar="RUN", help="a run directory, a baseline, or a folder of runs")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="the Parquet file")
    parser.add_argument("--table", choices=TABLES, default="visits", help="which table of read_run [visits]")
    flags = parser.parse_args()
    try:
        runs = write_parquet(flags.source, flags.output, flags.table)
    except (ReadError, OSError, ImportError) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 2
    print(f"{runs} run{'' if runs == 1 else 's'} in {flags.output}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
