"""Plumbline from Python: times of any callable by Plumbline's engine, in the caller's process."""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from plumbline_gpu.pairs import Comparison, compare
from plumbline_gpu.bench import do_bench
from plumbline_gpu.measurement import Result, measure

try:
    __version__ = _version("plumbline-gpu")
except _PackageNotFoundError:  # a build tree
    __version__ = "0"

__all__ = ["Comparison", "Result", "compare", "do_bench", "measure"]
