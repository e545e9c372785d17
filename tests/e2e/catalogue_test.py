#!/usr/bin/python3
"""Every op of the catalogue on the CPU: right, or UNSUPPORTED with LibTorch's message."""

import every_op
import planted


class CatalogueOnACpu(every_op.EveryOp, planted.Planted):
    refused = {
        "sparse_gemm": "LibTorch multiplies 2:4 sparse matrices on NVIDIA GPUs only",
        "fp8_gemm": "only supports per-tensor scaling for CPU",
    }
    never_right = {"sparse_gemm"}


if __name__ == "__main__":
    planted.main()
