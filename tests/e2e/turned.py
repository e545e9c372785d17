"""A suite whose function turns as often as the package `turned` says, and what its environments of Python need."""

import pathlib
import subprocess
import sys
import sysconfig

import planted

SUITE = planted.suite_text(
    "turns",
    [
        "  - {op: python, name: turn, source: ops.py, function: turn, args: {x: 'uniform[n]'},"
        " reference: 'aten::add(x, x)', sweep: {n: [200000], dtype: [float32]}}\n"
    ],
    planted.MEASURE_WORK,
)
OPS = """
import turned

def turn(x):
    for _ in range(turned.TURNS):
        result = x + x
    return result
"""
CASE = "turn/custom/dtype=float32/n=200000"
PACKAGES = pathlib.Path(sysconfig.get_paths()["purelib"])  # holds the torch of the tests
TORCH_FILE = "torch_of_the_tests.pth"  # a file with PACKAGES in it: that torch is imported


def torch_version():
    """2.11 and 13, for torch 2.11.0+cu130."""
    code = "import torch; print(torch.__version__.split('.')[:2], (torch.version.cuda or '').split('.')[0])"
    words = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, encoding="utf-8").stdout
    major, minor, cuda = (word.strip("[]',") for word in words.split())
    return f"{major}.{minor}", cuda


def worker_name():
    """torch-2.11-cu13, as the worker's wheel names its folder."""
    torch, cuda = torch_version()
    return f"torch-{torch}-cu{cuda}"


def worker_files():
    """What the worker's folder holds."""
    files = list(planted.BIN.glob("plumbline-worker*"))
    return files + [planted.BUILD / "lib" / name for name in ("libplumbline-worker.so", "plumbline_techniques")]
