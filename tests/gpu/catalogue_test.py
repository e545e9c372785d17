#!/usr/bin/python3
"""Every op of the catalogue on a CUDA GPU: right, or UNSUPPORTED because the GPU is too old.

Needs bin/ and lib/ of a build (see ../e2e/planted.py), suites/, tests/ and Python; ends with 77 and the reason if there
is no GPU.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import every_op  # noqa: E402
import planted  # noqa: E402


class CatalogueOnAGpu(every_op.EveryOp, planted.Planted):
    device = "cuda"
    of_several_gpus = ("all_gather", "all_reduce", "all_reduce_rms_norm", "all_to_all", "broadcast", "overlapped_all_reduce", "peer_copy",
                       "reduce_scatter", "send_recv")  # fmt: skip
    never_right = {"mxfp8_gemm", "nvfp4_gemm"}  # before Blackwell
    never_right |= set(of_several_gpus) if planted.no_gpu(2) else set()
    refused = {
        **dict.fromkeys(of_several_gpus, "this machine has 1 GPU"),
        "fp8_gemm": "compute capability",  # on a GPU before 8.9
        "block_fp8_gemm": "_scaled_mm",  # a CPU takes odd sizes
        "grouped_gemm": "at::_grouped_mm",  # a CPU takes other types and odd sizes
        "mxfp8_gemm": "at::_scaled_mm",  # a GPU before 10.0; a CPU takes odd sizes
        "nvfp4_gemm": "at::_scaled_mm_v2",
        "int4_gemm": "at::_weight_int4pack_mm",  # a CPU takes float32
    }
    # torch 2.11.0: with channels-last memory on CUDA, the gradient with padding has errors of up to its own size.
    # Comparing torch.autograd.grad with the CPU shows the same. The suite expects it.
    known_wrong = {("avg_pool2d/libtorch", "direction=backward", "layout=nhwc", "padding=")}


if __name__ == "__main__":
    planted.main_on_gpu()
