#!/usr/bin/python3
"""Every op of the catalogue on the CPU: right, or UNSUPPORTED in LibTorch's words."""

import every_op
import planted


class CatalogueOnACpu(every_op.EveryOp, planted.Planted):
    refused = {
        "sparse_gemm": "Could not run 'aten::_cslt_compress' with arguments from the 'CPU' backend",
        "fp8_gemm": "only supports per-tensor scaling for CPU",
    }
    never_right = {"sparse_gemm"}


if __name__ == "__main__":
    planted.main()
