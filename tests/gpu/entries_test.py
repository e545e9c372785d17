#!/usr/bin/python3
"""Every entry of the catalogue (op × backend × dtype × direction) on a CUDA GPU: right, or not for a reason listed
here.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason if there
is no GPU. Prints which entries ran.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import every_entry  # noqa: E402
import planted  # noqa: E402


class EntriesOnAGpu(every_entry.EveryEntry, planted.Planted):
    device = "cuda"
    known = {  # pattern of entries' names: status and words of the reason
        "^grouped_gemm/libtorch float(64|32|16) ": ("UNSUPPORTED", "has a grouped kernel for bfloat16 only"),
        "^int4_gemm/libtorch float(32|16) ": ("UNSUPPORTED", "takes bfloat16 only on a GPU"),
        "^(mxfp8|nvfp4)_gemm/": ("UNSUPPORTED", "need tensor cores of compute capability 10.0 or newer"),  # Blackwell
    }
    if planted.no_gpu(2):
        known["/nccl |^peer_copy/"] = ("UNSUPPORTED", "this machine has 1 GPU")


if __name__ == "__main__":
    planted.main_on_gpu()
