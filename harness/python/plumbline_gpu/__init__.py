"""Plumbline from Python."""

from importlib.metadata import version as _version

__version__ = _version("plumbline-gpu")
