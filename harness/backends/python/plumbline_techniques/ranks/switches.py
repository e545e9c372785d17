"""Settings of torch that a case may have in rank 0, which the other ranks must have too."""

import torch

ATTENTION = ("flash", "mem_efficient", "math", "cudnn")
BLAS = {torch._C._BlasBackend.Cublas: "cublas", torch._C._BlasBackend.Cublaslt: "cublaslt"}


def switches():
    """As JSON."""
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    return {
        "tf32": [cuda.matmul.allow_tf32, cudnn.allow_tf32],
        "reduction": [cuda.matmul.allow_fp16_reduced_precision_reduction, cuda.matmul.allow_bf16_reduced_precision_reduction],
        "cudnn": [cudnn.benchmark, cudnn.deterministic],
        "deterministic": [torch.are_deterministic_algorithms_enabled(), torch.utils.deterministic.fill_uninitialized_memory],
        "attention": [getattr(cuda, f"{kernel}_sdp_enabled")() for kernel in ATTENTION],
        "blas": BLAS.get(torch._C._get_blas_preferred_backend()),
    }


def use(values):
    """What switches() gave in another process."""
    if values == switches():
        return
    cuda, cudnn = torch.backends.cuda, torch.backends.cudnn
    cuda.matmul.allow_tf32, cudnn.allow_tf32 = values["tf32"]
    cuda.matmul.allow_fp16_reduced_precision_reduction, cuda.matmul.allow_bf16_reduced_precision_reduction = values["reduction"]
    cudnn.benchmark, cudnn.deterministic = values["cudnn"]
    torch.use_deterministic_algorithms(values["deterministic"][0])
    torch.utils.deterministic.fill_uninitialized_memory = values["deterministic"][1]
    for kernel, is_on in zip(ATTENTION, values["attention"]):
        getattr(cuda, f"enable_{kernel}_sdp")(is_on)
    if values["blas"] is not None:
        cuda.preferred_blas_library(values["blas"])
