"""Plumbline from Python: times of any callable by Plumbline's engine, in the caller's process."""

import importlib as _importlib
from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

try:
    __version__ = _version("plumbline-gpu")
except _PackageNotFoundError:  # a build tree
    __version__ = "0"

_HOMES = {  # name -> module, imported on first use: unused names need neither engine nor torch
    "Benchmark": "benchmark",
    "Comparison": "pairs",
    "ReadError": "_csv_files",
    "Result": "measurement",
    "Run": "runs",
    "Table": "tables",
    "case": "suites",
    "compare": "pairs",
    "device": "suites",
    "do_bench": "bench",
    "measure": "measurement",
    "read_run": "runs",
    "save_tensors": "_tensor_file",
    "phase": "capture",
    "step": "capture",
}
__all__ = sorted(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'plumbline_gpu' has no attribute '{name}'")
    return getattr(_importlib.import_module(f"plumbline_gpu.{_HOMES[name]}"), name)
