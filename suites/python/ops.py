"""The functions that suites/python.yaml measures: kernels of Triton, and a block by torch.compile."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.autotune([triton.Config({"SIZE": size}, num_warps=warps) for size in (1024, 4096) for warps in (4, 8)],
                 key=["n"])
@triton.jit
def add_kernel(x, y, z, n, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    total = tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask)
    tl.store(z + offsets, total, mask=mask)


def fused_add(x, y):
    z = torch.empty_like(x)
    n = x.numel()
    add_kernel[lambda chosen: (triton.cdiv(n, chosen["SIZE"]),)](x, y, z, n)
    return z


@triton.jit
def softmax_kernel(x, y, cols, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    offsets = tl.arange(0, SIZE)
    mask = offsets < cols
    values = tl.load(x + row + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + offsets, powers / tl.sum(powers, 0), mask=mask)


def softmax(x):
    y = torch.empty_like(x)
    rows, cols = x.shape
    size = triton.next_power_of_2(cols)
    softmax_kernel[(rows,)](x, y, cols, size, num_warps=min(max(size // 512, 4), 16))
    return y


def gated_layer_plain(x, weight, gate, up):
    h = F.rms_norm(x, weight.shape, weight, 1e-6)
    return F.silu(h @ gate) * (h @ up)


gated_layer = torch.compile(gated_layer_plain)
