"""What one pytest process records with --plumbline, and what the first process says about the whole run."""

from __future__ import annotations

import collections
import pathlib
import statistics
from typing import Any

import pytest

import plumbline_gpu
from plumbline_gpu import _host_clock, _machine
from plumbline_gpu._cases import case_of
from plumbline_gpu._recorder import Recorder, begin_info, worker_name, write_info
from plumbline_gpu.benchmark import Benchmark

_SHOWN = 20  # cases in the summary, and lines of a failed round


class Session:
    """The rows of one round; in the process of round 0 also run.json."""

    def __init__(self, config, number: int):
        self._config, self._round = config, number
        self._named = config.getoption("plumbline")
        self.rounds = _rounds_of(config.getoption("plumbline_rounds"))
        self.folder = pathlib.Path(config.invocation_params.dir, self._named)
        self.failures: list[str] = []  # of further rounds
        self._info: dict[str, Any] = {}
        self._cpu = ""
        self._extra: dict[str, Any] = {}
        if getattr(config.option, "numprocesses", None):
            raise pytest.UsageError("--plumbline: tests that run side by side disturb each other; leave out -n")
        if number == 0 and self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            raise pytest.UsageError(f"--plumbline {self._named}: it is there already; name a new folder")
        self._recorder = Recorder(self.folder, config.getini("plumbline_suite"), number)

    @property
    def has_results(self) -> bool:
        return bool(self._recorder.cases)

    def record(self, item, benchmark: Benchmark, report) -> None:
        """The visit of a test: its status is OK only if the test passed."""
        case, op = case_of(item)
        if not benchmark.is_used or report.skipped or case in self._recorder.cases:
            return
        if not self._cpu:
            self._begin()
        if benchmark.device and self._info:
            self._info["environment"] |= {name: text for name, text in benchmark.device.items() if text}
        status, reason = _status_of(benchmark, report)
        device = benchmark.device.get("device_uuid", self._cpu)
        self._recorder.add(case, op, device, status, reason, benchmark.readings if status == "OK" else [])
        if benchmark.extra_info:
            self._extra[case] = benchmark.extra_info

    def _begin(self) -> None:
        self._cpu = _machine.cpu()["device_uuid"]
        if self._round > 0:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        words = ["pytest", *map(str, self._config.invocation_params.args)]
        policy = {"metrics": ["gpu_time"], "cache": ["cold"], "rounds": self.rounds} | _host_clock.POLICY
        self._info = begin_info(words, policy, self._config.rootpath, plumbline_gpu.__version__)
        self._add_worker(self._recorder.worker, 0, self._info["started_at"])
        write_info(self.folder, self._info)

    def _add_worker(self, name: str, number: int, started_at: str) -> None:
        self._info["workers"].append({"name": name, "round": number, "started_at": started_at})

    def add_round(self, number: int, started_at: str, process: int, code: int, printed: str) -> None:
        """A further round, whose own process has ended."""
        self._add_worker(worker_name(process), number, started_at)
        if code != pytest.ExitCode.OK:
            tail = "\n".join(printed.splitlines()[-_SHOWN:])
            self.failures.append(f"round {number + 1} failed, in a process of its own (exit code {code}):\n{tail}")

    def finish(self) -> None:
        sources = _machine.sources(self._config.rootpath)
        suite = {"name": self._config.getini("plumbline_suite"), "path": "", "hash": "", "sources": sources}
        self._info["suites"] = [suite | {"cases": self._recorder.cases}]
        self._info["environment"] |= _machine.software()
        self._info["finished_at"] = _machine.now_utc()
        if self._extra:
            self._info["extra_info"] = self._extra
        write_info(self.folder, self._info)

    def summary(self) -> list[str]:
        if not self.has_results:
            return ["nothing was measured: no test that ran uses the fixture plumbline_bench"]
        if not self._info["finished_at"]:
            return [f"{self._named} is not finished: pytest was stopped"]
        visits = collections.defaultdict(list)
        for visit in plumbline_gpu.read_run(self.folder).visits:
            visits[visit["case"]].append(visit)
        lines = [f"{case}  {_shown(of_case)}" for case, of_case in visits.items()]
        if len(lines) > _SHOWN:
            lines[_SHOWN:] = [f"… and {len(lines) - _SHOWN} more"]
        ending = f"{self._named}: {len(visits)} cases, {self.rounds} rounds; plumbline compare BASE {self._named}"
        return [*self.failures, *lines, ending]


def _status_of(benchmark: Benchmark, report) -> tuple[str, str]:
    if report.passed and benchmark.readings:
        return "OK", ""
    if report.passed or benchmark.failure is not None:
        return "CRASHED", f"{type(benchmark.failure).__name__}: {benchmark.failure}"
    lines = str(getattr(getattr(report.longrepr, "reprcrash", None), "message", report.longrepr)).splitlines()
    return "WRONG", f"the test failed: {lines[0] if lines else 'no reason'}"


def _rounds_of(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise pytest.UsageError(f"--plumbline-rounds {text}: expected an integer from 1")
    return int(text)


def _shown(visits: list[dict[str, Any]]) -> str:
    if bad := [visit for visit in visits if visit["status"] != "OK"]:
        return f"{bad[0]['status']} ({bad[0]['reason']})"
    time = statistics.fmean(visit["estimate"] for visit in visits)
    units = (("s", 1), ("ms", 1e3), ("µs", 1e6), ("ns", 1e9))
    unit, scale = next((u, s) for u, s in units if time * s >= 1 or u == "ns")
    return f"{time * scale:.4g} {unit}"
