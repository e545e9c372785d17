"""Writes a run directory (run.json, results.csv) as `plumbline run` does."""

from __future__ import annotations

import csv
import io
import json
import os
import pathlib
from typing import Any, Sequence

from plumbline_gpu import _machine
from plumbline_gpu.runs import RESULT_COLUMNS

_FORMAT, _MEASUREMENT_REVISION = 1, 4  # of core/run/run.h
_REVISION = "1"  # of a problem: the test's name identifies the problem


class Recorder:
    """One process of a run: it appends the rows of its round to results.csv, one write a visit."""

    def __init__(self, folder: pathlib.Path, suite: str, number: int):
        self.folder, self._suite, self._round = folder, suite, number
        self.cases: list[str] = []
        self.worker = worker_name(os.getpid())

    @property
    def results(self) -> pathlib.Path:
        return self.folder / "results.csv"

    def add(
        self, case: str, op: str, device: str, status: str, reason: str, readings: Sequence[dict[str, Any]]
    ) -> None:  # fmt: skip
        """Appends a visit. Without readings it is a case without samples."""
        head = {
            "suite": self._suite, "case": case, "op": op, "backend": "python", "revision": _REVISION, "device": device,
            "status": status, "reason": reason, "round": self._round, "order": len(self.cases), "worker": self.worker,
        }  # fmt: skip
        self.cases.append(case)
        rows = [head | {"part": f"{i}/{len(readings)}"} | _fields_of(x) for i, x in enumerate(readings, 1)]
        text = io.StringIO()
        writer = csv.DictWriter(text, RESULT_COLUMNS, lineterminator="\n")
        if not self.results.exists():
            writer.writeheader()
        writer.writerows(rows or [head | {"part": "1/1", "batch": 1}])
        with open(self.results, "ab", buffering=0) as file:
            file.write(text.getvalue().encode())


def worker_name(process: int) -> str:
    return f"pytest-{process}"


def write_info(folder: pathlib.Path, info: dict[str, Any]) -> None:
    """Replaces run.json; a run with `finished_at` gets the checksum of its results."""
    if info.get("finished_at"):
        data = (folder / "results.csv").read_bytes()
        info = info | {"results": {"bytes": len(data), "hash": _machine.content_hash(data)}}
    made = folder / f"run.json.tmp{os.getpid()}"
    made.write_text(json.dumps(info, default=str, ensure_ascii=False), encoding="utf-8")
    made.replace(folder / "run.json")


def begin_info(command: list[str], policy: dict[str, Any], root: pathlib.Path, version: str) -> dict[str, Any]:
    """run.json of a run that begins now, on a CPU until something else is known."""
    return {
        "format": _FORMAT,
        "measurement_revision": _MEASUREMENT_REVISION,
        "plumbline": version,
        "command": command,
        "suites": [],
        "started_at": _machine.now_utc(),
        "finished_at": None,
        "policy": policy,
        "environment": _machine.cpu() | _machine.software() | _machine.tree(root),
        "workers": [],
    }


def _fields_of(reading: dict[str, Any]) -> dict[str, str]:
    numbers = {
        "floor": reading.get("floor_s"), "temperature": reading.get("temperature_c"), "power": reading.get("power_w"),
    }  # fmt: skip
    return {
        "metric": reading["metric"],
        "unit": reading["unit"],
        "batch": reading["batch"],
        "samples": "|".join(_listed(block) for block in reading["blocks"]),
        "block_times": _listed(reading.get("times_s", [])),
        "block_clocks": _listed(reading.get("clocks_hz", [])),
        "block_causes": ";".join(causes) if any(causes := reading.get("causes", [])) else "",
        "throttle": reading.get("throttle", ""),
        "flags": ";".join(reading.get("flags", [])),
        **{name: "" if value is None or value != value else repr(value) for name, value in numbers.items()},
    }


def _listed(numbers: Sequence[float]) -> str:
    return ";".join(repr(float(number)) for number in numbers)
