"""GELU (its tanh form) in Triton."""

import torch
import triton
import triton.language as tl


@triton.jit
def gelu_kernel(x, y, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    inside = at < n
    value = tl.load(x + at, mask=inside).to(tl.float32)
    inner = 0.7978845608028654 * (value + 0.044715 * value * value * value)
    tl.store(y + at, value * tl.sigmoid(2 * inner), mask=inside)  # 0.5 (1 + tanh(u)) = sigmoid(2 u)


def gelu(x):
    y = torch.empty_like(x)
    gelu_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), SIZE=1024)
    return y
