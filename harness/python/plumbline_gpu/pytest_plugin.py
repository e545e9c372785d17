"""The pytest plugin: `pytest --plumbline RUN_DIR` records what `plumbline_bench` measures into a run directory.

The first round runs the tests in this process. Each further round is a new process, like rounds of `plumbline run`: two
processes differ by more than the samples of one process show.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from plumbline_gpu.benchmark import Benchmark

_ROUND = "PLUMBLINE_PYTEST_ROUND"  # tells a further round its number
_SESSION = "_plumbline_session"
_BENCHMARK = "_plumbline_benchmark"
_FIXTURE, _TAKEN = "plumbline_bench", "benchmark"


def pytest_addoption(parser):
    group = parser.getgroup("plumbline", "benchmarks recorded for plumbline compare")
    group.addoption("--plumbline", metavar="RUN_DIR", help="measure, and record into this new run directory")
    group.addoption("--plumbline-rounds", metavar="N", default="3", help="processes that measure each test [3]")
    group.addoption("--plumbline-benchmark", action="store_true", help="take the fixture name `benchmark` as well")
    parser.addini("plumbline_suite", "name of the suite in results.csv", default="pytest")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    config.addinivalue_line("markers", "benchmark(group): what is computed, for plumbline_bench")
    if config.getoption("plumbline_benchmark"):
        if (other := config.pluginmanager.get_plugin("benchmark")) is not None:
            config.pluginmanager.unregister(other)  # pytest-benchmark refuses any other fixture of this name
        config.pluginmanager.register(_TakenName(), "plumbline-benchmark")
    if config.getoption("plumbline") is not None:
        from plumbline_gpu._pytest_session import Session

        setattr(config, _SESSION, Session(config, int(os.environ.get(_ROUND, "0"))))


@pytest.fixture
def plumbline_bench(request) -> Benchmark:
    """Measures a callable: `result = plumbline_bench(function, *args, **kwargs)`."""
    return _benchmark_of(request)


class _TakenName:
    """The plugin for --plumbline-benchmark."""

    @pytest.fixture
    def benchmark(self, request) -> Benchmark:
        """`plumbline_bench` under pytest-benchmark's name."""
        return _benchmark_of(request)


def _benchmark_of(request) -> Benchmark:
    item = request.node
    marker = item.get_closest_marker("benchmark")
    group = marker.kwargs.get("group") if marker else None
    params = dict(item.callspec.params) if hasattr(item, "callspec") else {}
    made = Benchmark(item.name, item.nodeid, group, params, hasattr(request.config, _SESSION))
    setattr(item, _BENCHMARK, made)
    return made


def pytest_collection_modifyitems(config, items):
    """Refuses two tests that would be the same case. Further rounds only run tests that measure something."""
    if not hasattr(config, _SESSION):
        return
    from plumbline_gpu._cases import mistake_in

    names = {_FIXTURE, _TAKEN} if config.getoption("plumbline_benchmark") else {_FIXTURE}
    measured = [item for item in items if names & set(getattr(item, "fixturenames", ()))]
    if mistake := mistake_in(measured):
        raise pytest.UsageError(f"--plumbline: {mistake}")
    if _ROUND in os.environ:
        config.hook.pytest_deselected(items=[item for item in items if item not in measured])
        items[:] = measured


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    session, benchmark = getattr(item.config, _SESSION, None), getattr(item, _BENCHMARK, None)
    if session and benchmark and call.when == "call":
        session.record(item, benchmark, outcome.get_result())


@pytest.hookimpl(tryfirst=True)  # before --junitxml is written, because further rounds write it too
def pytest_sessionfinish(session, exitstatus):
    recorded = getattr(session.config, _SESSION, None)
    is_stopped = session.shouldstop or session.shouldfail or exitstatus not in (0, 1)
    if recorded is None or _ROUND in os.environ or not recorded.has_results or is_stopped:
        return
    for number in range(1, recorded.rounds):
        recorded.add_round(number, *_further_round(session.config, number))
    recorded.finish()
    if recorded.failures and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _further_round(config, number: int) -> tuple[str, int, int, str]:
    """Start time, process, exit code and output of a round."""
    from plumbline_gpu._machine import now_utc

    words, started_at = [sys.executable, "-m", "pytest", *map(str, config.invocation_params.args)], now_utc()
    process = subprocess.Popen(
        words, cwd=config.invocation_params.dir, env=os.environ | {_ROUND: str(number)}, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    printed, _ = process.communicate()
    return started_at, process.pid, process.returncode, printed


def pytest_terminal_summary(terminalreporter, config):
    recorded = getattr(config, _SESSION, None)
    if recorded is None or _ROUND in os.environ:
        return
    terminalreporter.section("plumbline")
    for line in recorded.summary():
        terminalreporter.write_line(line)
