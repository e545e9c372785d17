"""`read_run`: the results of a run as tables. Needs neither a GPU, nor torch, nor the extension module."""

from __future__ import annotations

import json
import math
import os
import pathlib
import statistics
from functools import cached_property
from typing import Any

from plumbline_gpu._csv_files import NUMBER, NUMBERS, PART, SAMPLES, STATUS, TEXT, TEXTS, WHOLE, WHOLES, ReadError, Rows
from plumbline_gpu.tables import Table

_NEWEST_FORMAT = 1

# Columns of results.csv: optional ones have the value that they have if they are omitted.
_CASE = {name: (TEXT,) for name in ("suite", "case", "op", "backend", "revision")}
_OF_RUNS = _CASE | {
    "device": (TEXT, ""), "status": (STATUS,), "reason": (TEXT, ""), "metric": (TEXT,), "unit": (TEXT,),
    "round": (WHOLE,), "order": (WHOLE, 0), "worker": (TEXT,), "part": (PART,), "batch": (WHOLE, 1),
    "floor": (NUMBER, math.nan), "samples": (SAMPLES,), "block_times": (NUMBERS, list), "block_clocks": (NUMBERS, list),
    "block_placements": (WHOLES, list), "block_causes": (TEXTS, list), "age": (NUMBER, math.nan), "timers": (TEXT, ""),
    "temperature": (NUMBER, math.nan), "throttle": (TEXT, ""), "power": (NUMBER, math.nan), "kernels": (TEXT, ""),
    "plan": (TEXT, ""), "flags": (TEXTS, list), "flops": (NUMBER, math.nan), "bytes": (NUMBER, math.nan),
    "error_rel_l2": (NUMBER, math.nan), "error_max_abs": (NUMBER, math.nan), "error_max_ulp": (NUMBER, math.nan),
    "tolerance": (NUMBER, math.nan), "repeats": (TEXT, ""), "spent": (TEXT, ""), "code": (TEXT, ""),
}  # fmt: skip
RESULT_COLUMNS = tuple(_OF_RUNS)  # in the order of the file
_OF_BLOCKS = ("samples", "block_times", "block_clocks", "block_placements", "block_causes")

# Columns of a baseline; those in _OF_VISITS have an item for each visit.
_OF_BASELINES = _CASE | {
    "suite": (TEXT, ""), "metric": (TEXT,), "run": (WHOLE,), "unit": (TEXT,), "visits": (NUMBERS,),
    "block_sd": (NUMBERS, list), "blocks": (WHOLES,), "set_aside": (WHOLES, list), "tails": (NUMBERS, list),
    "batch": (WHOLE, 1), "clock": (NUMBER, math.nan), "temperature": (NUMBER, math.nan), "power": (NUMBER, math.nan),
    "throttle": (TEXT, ""), "flags": (TEXTS, list), "status": (STATUS,), "reason": (TEXT, ""), "device": (TEXT, ""),
    "flops": (NUMBER, math.nan), "bytes": (NUMBER, math.nan), "error_rel_l2": (NUMBER, math.nan),
    "tolerance": (NUMBER, math.nan), "code": (TEXT, ""), "plan": (TEXT, ""), "kernels": (TEXT, ""),
}  # fmt: skip
_OF_VISITS = {"visits": math.nan, "block_sd": math.nan, "blocks": 0, "set_aside": 0, "tails": math.nan}

_SAMPLE_TYPES = {
    "suite": str, "case": str, "metric": str, "unit": str, "round": int, "worker": str, "block": int, "sample": int,
    "value": float, "block_time": float, "clock": float, "placement": int, "cause": str,
}  # fmt: skip
_VERDICT_TYPES = {
    "suite": str, "case": str, "op": str, "backend": str, "metric": str, "unit": str, "verdict": str, "reason": str,
    "baseline_status": str, "candidate_status": str, "baseline": float, "candidate": float, "change": float,
    "change_low": float, "change_high": float, "raw_change": float, "p_value": float, "adjusted_p": float,
    "detectable": float, "threshold": float, "baseline_visits": int, "candidate_visits": int, "pairs": int,
    "cause": int, "flags": list,
}  # fmt: skip
_UNKNOWN = {str: "", int: 0, float: math.nan, list: []}


class Run:
    """The result of `read_run`.

    `info` is run.json, or the JSON of a baseline: environment, policy, suites, calibration. `warnings` names what is
    doubtful, such as a torn last row.
    """

    def __init__(self, path: str, info: dict[str, Any], rows: list[dict], comparison: dict | None, is_reduced: bool):
        self.path = path
        self.info = info
        self.warnings: list[str] = []
        self._rows, self._comparison, self._is_reduced = rows, comparison, is_reduced

    @cached_property
    def visits(self) -> Table:
        """A row per case × metric × round, in the columns of results.csv.

        Further columns are `estimate` (mean of the medians of the blocks that count, in `unit`), `blocks` (those that
        count) and `set_aside`. Times are seconds, clocks Hz, `power` W, `temperature` °C. `kernels` and `plan` are
        JSON. A case without samples has a row without metric; `estimate` is nan. For a baseline, `run` numbers its
        runs, and `block_sd` and `tail` tell how a visit's blocks scatter.
        """
        return _reduced_visits(self._rows) if self._is_reduced else _visits(self._rows)

    @cached_property
    def samples(self) -> Table:
        """A row per sample, in the order of measurement.

        `value` is in `unit` (a batch's mean). `block` and `sample` (within its block) count from 0. `block_time` is
        seconds since the start of the visit, `clock` Hz. Equal numbers in `placement` are the same place in memory (-1:
        unknown). A `cause` tells why the block does not count. Baselines keep no samples.
        """
        return Table(_SAMPLE_TYPES, [] if self._is_reduced else [s for row in self._rows for s in _samples_of(row)])

    @cached_property
    def verdicts(self) -> Table:
        """A row per case × metric of the comparison; empty if there is none.

        `baseline` and `candidate` are estimates in `unit`. Changes are shares (0.02 is 2 %; above 0 the candidate has
        more). `detectable` is the change that is found nine times in ten.
        """
        findings = self._comparison["findings"] if self._comparison else []
        return Table(_VERDICT_TYPES, [tuple(_fact(f, name) for name in _VERDICT_TYPES) for f in findings])

    def __repr__(self) -> str:
        return f"Run({self.path!r}: {len(self.visits)} visits, {len(self.verdicts)} verdicts)"


def read_run(path: str | os.PathLike, comparison: str | os.PathLike | None = None) -> Run:
    """Reads a run directory (run.json, results.csv) or a baseline (`baselines/DEVICE/SUITE`, .csv or .json).

    Args:
        comparison: file that `plumbline compare -o` wrote, for `verdicts`; default: comparison.json
            in the run directory, if it exists.

    Returns:
        A Run with the tables `visits`, `samples` and `verdicts`. Raises FileNotFoundError for a file
        that does not exist, ReadError with the line for one that cannot be read.
    """
    json_path, csv_path, is_baseline = _files_of(pathlib.Path(path))
    info = _json(json_path, "a run or a baseline", ("measurement_revision", "runs"))
    is_reduced = "runs" in info
    beside = json_path.parent / "comparison.json"
    if comparison is None and not is_baseline and beside.is_file():
        comparison = beside
    compared = None if comparison is None else _json(pathlib.Path(comparison), "a comparison", ("findings",))
    reading = Rows(csv_path, _OF_BASELINES if is_reduced else _OF_RUNS)
    numbered = list(_checked(reading, is_reduced))
    run = Run(str(path), info, [row for _, row in numbered], compared, is_reduced)
    if is_reduced:
        for row in run._rows:
            row["suite"] = row["suite"] or info.get("suite", "")
    _judge_end(run, reading, numbered, is_finished=is_baseline or bool(info.get("finished_at")))
    if compared and not _is_compared(info, compared):
        sides = f"{compared.get('baseline_path')} with {compared.get('candidate_path')}"
        run.warnings.append(f"{comparison}: compares other runs, {sides}")
    return run


def _files_of(path: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path, bool]:
    """JSON path, CSV path, and whether they are a baseline's."""
    if path.name in ("run.json", "results.csv"):
        path = path.parent
    if path.is_dir():
        files = path / "run.json", path / "results.csv", False
    else:
        stem = path.with_suffix("") if path.suffix in (".json", ".csv") else path
        files = pathlib.Path(f"{stem}.json"), pathlib.Path(f"{stem}.csv"), True
    for file in files[:2]:
        if not file.is_file():
            expected = "a run directory (run.json, results.csv) or a baseline such as baselines/DEVICE/SUITE"
            raise FileNotFoundError(f"{path}: found no {file}, expected {expected}")
    return files


def _json(path: pathlib.Path, what: str, marks: tuple[str, ...]) -> dict:
    if not path.is_file():
        raise FileNotFoundError(f"{path}: found no such file, expected the JSON of {what}")
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as problem:
        raise ReadError(f"{path}:{problem.lineno}: found no JSON ({problem.msg}), expected that of {what}") from None
    except UnicodeDecodeError:
        raise ReadError(f"{path}:1: found no UTF-8 text, expected the JSON of {what}") from None
    is_ours = isinstance(found, dict) and isinstance(found.get("format"), int)
    if not is_ours or not any(mark in found for mark in marks):
        raise ReadError(f"{path}:1: found other JSON, expected that of {what}, written by Plumbline")
    if found["format"] > _NEWEST_FORMAT:
        told = f"found format {found['format']}, expected at most {_NEWEST_FORMAT}; use a newer plumbline-gpu"
        raise ReadError(f"{path}:1: {told}")
    return found


def _checked(reading: Rows, is_reduced: bool):
    """Checks that the rows' lists have an item for each block, or for each visit."""
    lists, what = (list(_OF_VISITS), "visits") if is_reduced else (_OF_BLOCKS, "blocks of samples")
    for line, row in reading:
        count = len(row[lists[0]])
        for name in lists[1:]:
            # Texts that are all empty are not written, and a single block's empty text is nothing.
            if row[name] and len(row[name]) != count:
                found = f"found {len(row[name])} items, expected {count}, one for each of the {what}"
                raise ReadError(f"{reading.path}:{line}: {name}: {found}")
        yield line, row


def _judge_end(run: Run, reading: Rows, numbered: list, is_finished: bool) -> None:
    """An unfinished run may end anywhere; a finished run that ends in a torn row is damaged."""
    found = reading.torn
    if found and not is_finished:
        run.warnings.append(f"{found}; the row was left out")
    if numbered and not run._is_reduced:
        line, row = numbered[-1]
        part, parts = row["part"]
        if part < parts:
            found = f"{reading.path}:{line}: found the end after {part} of {parts} rows of the visit of '{row['case']}'"
            run.warnings.append(found)
    if found and is_finished:
        raise ReadError(f"{found}; the run is finished, so the file is damaged")


def _is_compared(info: dict, compared: dict) -> bool:
    sides = (compared.get("baseline") or {}, compared.get("candidate") or {})
    started = [run.get("started_at") for run in info.get("runs", [info])]
    return any(side.get("started_at") in started for side in sides)


def _medians(row: dict) -> list[float]:
    """Mean over the blocks that count."""
    causes = row["block_causes"] or [""] * len(row["samples"])
    return [statistics.median(block) for block, cause in zip(row["samples"], causes) if not cause]


def _visits(rows: list[dict]) -> Table:
    kept = [name for name in _OF_RUNS if name not in _OF_BLOCKS and name != "part"]
    types = _types_of(_OF_RUNS, kept) | {"estimate": float, "blocks": int, "set_aside": int}
    table = []
    for row in rows:
        medians = _medians(row)
        estimate = statistics.fmean(medians) if medians else math.nan
        table.append((*(row[name] for name in kept), estimate, len(medians), len(row["samples"]) - len(medians)))
    return Table(types, table)


def _reduced_visits(rows: list[dict]) -> Table:
    kept = [name for name in _OF_BASELINES if name not in _OF_VISITS]
    types = _types_of(_OF_BASELINES, kept)
    types |= {"round": int, "estimate": float, "block_sd": float, "blocks": int, "set_aside": int, "tail": float}
    table = []
    for row in rows:
        for number in range(max(1, len(row["visits"]))):
            facts = (row[name][number] if row[name] else unknown for name, unknown in _OF_VISITS.items())
            table.append((*(row[name] for name in kept), number, *facts))
    return Table(types, table)


def _types_of(columns: dict, names: list[str]) -> dict[str, type]:
    forms = {id(NUMBER): float, id(WHOLE): int, id(TEXTS): list}
    return {name: forms.get(id(columns[name][0]), str) for name in names}


def _samples_of(row: dict):
    head = tuple(row[name] for name in ("suite", "case", "metric", "unit", "round", "worker"))
    unknown = {"block_times": math.nan, "block_clocks": math.nan, "block_placements": -1, "block_causes": ""}
    for number, block in enumerate(row["samples"]):
        tail = tuple(row[name][number] if row[name] else nothing for name, nothing in unknown.items())
        for i, value in enumerate(block):
            yield (*head, number, i, value, *tail)


def _fact(finding: dict, name: str) -> Any:
    value = finding.get(name)
    return _UNKNOWN[_VERDICT_TYPES[name]] if value is None else value
