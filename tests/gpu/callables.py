"""The callables of do_bench_table.py: kernels of Triton, ops of torch, functions by torch.compile.

Also a source of `op: python`: suite_text() is a suite of the same callables on tensors of the same shapes. Knows no clock.
Needs torch and triton.
"""

import dataclasses
import pathlib

import torch
import torch.nn.functional as F
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, z, n, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    tl.store(z + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


def triton_add(x, y):
    z = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, z, x.numel(), SIZE=1024)
    return z


@triton.jit
def softmax_kernel(x, y, cols, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    offsets = tl.arange(0, SIZE)
    mask = offsets < cols
    values = tl.load(x + row + offsets, mask=mask, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(y + row + offsets, powers / tl.sum(powers, 0), mask=mask)


def triton_softmax(x):
    y = torch.empty_like(x)
    rows, cols = x.shape
    softmax_kernel[(rows,)](x, y, cols, triton.next_power_of_2(cols), num_warps=8)
    return y


@triton.jit
def row_sums_kernel(x, y, cols, SIZE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * cols
    total = tl.zeros([SIZE], tl.float32)
    for start in range(0, cols, SIZE):
        offsets = start + tl.arange(0, SIZE)
        total += tl.load(x + row + offsets, mask=offsets < cols, other=0).to(tl.float32)
    tl.store(y + tl.program_id(0), tl.sum(total, 0))


def triton_row_sums(x):
    y = torch.empty(x.shape[0], dtype=torch.float32, device=x.device)
    row_sums_kernel[(x.shape[0],)](x, y, x.shape[1], SIZE=1024)
    return y


@triton.jit
def iterate_kernel(x, y, n, times, SIZE: tl.constexpr):
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    value = tl.load(x + offsets, mask=mask)
    for _ in range(times):
        value = value * 1.0001 + 0.0001
    tl.store(y + offsets, value, mask=mask)


def iterated(x, times):
    """A launch that takes longer in proportion to `times`: a multiple of 16, so that Triton compiles one kernel."""
    y = torch.empty_like(x)
    iterate_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), times, SIZE=1024)
    return y


def triton_iterate(x):
    return iterated(x, 1600)


def torch_add(x, y):
    return torch.add(x, y)


def torch_gelu(x):
    return F.gelu(x)


def torch_softmax(x):
    return torch.softmax(x, -1)


def torch_layer_norm(x):
    return F.layer_norm(x, x.shape[-1:])


def torch_mm(x, y):
    return torch.mm(x, y)


def torch_sum(x):
    return torch.sum(x)


def torch_transpose(x):
    return torch.transpose_copy(x, 0, 1)


def torch_attention(query, key, value):
    return F.scaled_dot_product_attention(query, key, value, is_causal=True)


def torch_cumsum(x):
    return torch.cumsum(x, -1)


def torch_sort(x):
    return torch.sort(x, stable=True).values


def torch_conv2d(x, weight):
    return F.conv2d(x, weight, padding=1)


def torch_three_ops(x, y):
    return torch.relu(x + y) * y


@torch.compile
def compiled_three_ops(x, y):
    return torch.relu(x + y) * y


@torch.compile
def compiled_rms_norm(x, weight):
    return F.rms_norm(x, weight.shape, weight, 1e-6)


@torch.compile
def compiled_gated_layer(x, gate, up):
    return F.silu(x @ gate) * (x @ up)


@torch.compile
def compiled_cross_entropy(x):
    return -torch.log_softmax(x, -1)[:, 0].mean()


@torch.compile
def compiled_gelu(x, bias):
    return F.gelu(x + bias)


@dataclasses.dataclass(frozen=True)
class Callable:
    function: object
    shapes: dict  # argument: shape, of numbers with the normal distribution
    dtype: str = "float32"
    name: str = ""  # default: the function's

    @property
    def title(self):
        return self.name or self.function.__name__

    def arguments(self):
        generator = torch.Generator("cuda").manual_seed(1)
        made = {"generator": generator, "device": "cuda", "dtype": getattr(torch, self.dtype)}
        return {name: torch.randn(shape, **made) for name, shape in self.shapes.items()}


def pair(*shape):
    return {"x": shape, "y": shape}


def one(*shape):
    return {"x": shape}


CALLABLES = [
    Callable(triton_add, pair(1024), name="triton_add_1k"),
    Callable(triton_add, pair(1 << 20), name="triton_add_1m"),
    Callable(triton_add, pair(1 << 26), "bfloat16", name="triton_add_64m"),
    Callable(triton_softmax, one(4096, 1024), name="triton_softmax_1024"),
    Callable(triton_softmax, one(8192, 4096), "float16", name="triton_softmax_4096"),
    Callable(triton_row_sums, one(4096, 4096)),
    Callable(triton_iterate, one(1 << 20)),
    Callable(torch_add, pair(1 << 16), name="torch_add_64k"),
    Callable(torch_add, pair(1 << 24), name="torch_add_16m"),
    Callable(torch_gelu, one(1 << 24), "bfloat16"),
    Callable(torch_softmax, one(4096, 4096)),
    Callable(torch_layer_norm, one(4096, 4096), "bfloat16"),
    Callable(torch_mm, pair(512, 512), "bfloat16", name="torch_mm_512"),
    Callable(torch_mm, pair(2048, 2048), name="torch_mm_2048_float32"),
    Callable(torch_mm, pair(8192, 8192), "bfloat16", name="torch_mm_8192"),
    Callable(torch_sum, one(4096, 4096)),
    Callable(torch_transpose, one(4096, 4096)),
    Callable(torch_attention, {name: (4, 16, 1024, 64) for name in ("query", "key", "value")}, "bfloat16"),
    Callable(torch_cumsum, one(1024, 16384)),
    Callable(torch_sort, one(1 << 20)),
    Callable(torch_conv2d, {"x": (16, 64, 56, 56), "weight": (64, 64, 3, 3)}, "float16"),
    Callable(torch_three_ops, pair(1 << 22)),
    Callable(compiled_three_ops, pair(1 << 22)),
    Callable(compiled_rms_norm, {"x": (4096, 4096), "weight": (4096,)}, "bfloat16"),
    Callable(compiled_gated_layer, {"x": (512, 2048), "gate": (2048, 5632), "up": (2048, 5632)}, "bfloat16"),
    Callable(compiled_cross_entropy, one(2048, 32000)),
    Callable(compiled_gelu, {"x": (8192, 4096), "bias": (4096,)}, "float16"),
]


def suite_text():
    """A suite whose cases are these callables. Without a reference they are UNVERIFIED, and timed."""
    lines = ["suite: callables", "benchmarks:"]
    for item in CALLABLES:
        args = ", ".join(f'{name}: "randn[{", ".join(map(str, shape))}]"' for name, shape in item.shapes.items())
        lines.append(f"  - {{op: python, name: {item.title}, source: {pathlib.Path(__file__).name}, "
                     f"function: {function_of(item)}, args: {{{args}}}, sweep: {{dtype: [{item.dtype}]}}}}")  # fmt: skip
    return "\n".join(lines) + "\n"


def function_of(item):
    """The name of the function in this file."""
    return next(name for name, value in globals().items() if value is item.function)
