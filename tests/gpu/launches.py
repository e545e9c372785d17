"""The cases of cases.py as launches of PyTorch: the same operators, shapes, dtypes and
distributions as Plumbline's (harness/ops/*/libtorch.cpp and reference.cpp, suites/aa.yaml), seeded
by the case's id. Knows no clock.
"""

import zlib

import torch
import torch.nn.functional as F


class Inputs:
    """Makes the input tensors of one case, always with the same values."""

    def __init__(self, case, dtype, device):
        self.dtype = getattr(torch, dtype)
        self.device = device
        self.generator = None
        if device != "meta":
            self.generator = torch.Generator(device).manual_seed(zlib.crc32(case.encode()))

    def uniform(self, *shape, low=-1.0, high=1.0):
        made = torch.empty(shape, dtype=self.dtype, device=self.device)
        return made.uniform_(low, high, generator=self.generator)

    def integers(self, low, high, *shape):
        options = {"dtype": torch.int64, "device": self.device, "generator": self.generator}
        return torch.randint(low, high, shape, **options)


def gemm(p, inputs):
    a = inputs.uniform(p["m"], p["k"])
    b = (
        inputs.uniform(p["n"], p["k"]).mT
        if p.get("transpose_b")
        else inputs.uniform(p["k"], p["n"])
    )
    if p.get("epilogue") != "bias":
        return lambda: torch.mm(a, b)
    bias = inputs.uniform(p["n"])
    return lambda: torch.addmm(bias, a, b)


def sdpa(p, inputs):
    groups = p.get("kv_heads", p["heads"])
    query = inputs.uniform(p["batch"], p["heads"], p["q_len"], p["head_dim"], low=-2, high=2)
    key = inputs.uniform(p["batch"], groups, p["kv_len"], p["head_dim"], low=-2, high=2)
    value = inputs.uniform(p["batch"], groups, p["kv_len"], p["head_dim"])
    options = {"is_causal": p.get("causal", False), "enable_gqa": groups != p["heads"]}
    return lambda: F.scaled_dot_product_attention(query, key, value, **options)


def conv2d(p, inputs):
    x = inputs.uniform(p["n"], p["c"], p["h"], p["w"])
    weight = inputs.uniform(p["k"], p["c"], p["r"], p["s"])
    if p.get("layout") == "nhwc":
        x = x.to(memory_format=torch.channels_last)
        weight = weight.to(memory_format=torch.channels_last)
    padding = p.get("padding", 0)
    return lambda: F.conv2d(x, weight, padding=padding)


def softmax(p, inputs):
    x = inputs.uniform(p["rows"], p["cols"])
    return lambda: torch.softmax(x, -1)


def layer_norm(p, inputs):
    x = inputs.uniform(p["rows"], p["cols"])
    weight, bias = inputs.uniform(p["cols"]), inputs.uniform(p["cols"])
    return lambda: F.layer_norm(x, (p["cols"],), weight, bias, 1e-5)


def pointwise(function):
    def make(p, inputs):
        x = inputs.uniform(p["elements"])
        return lambda: function(x)

    return make


def add(p, inputs):
    x, y = inputs.uniform(p["elements"]), inputs.uniform(p["elements"])
    return lambda: torch.add(x, y)


def total(p, inputs):
    x = inputs.uniform(p["rows"], p["cols"])
    if p["axis"] == "all":
        return lambda: torch.sum(x)
    axis = 0 if p["axis"] == "rows" else 1
    return lambda: torch.sum(x, axis)


def topk(p, inputs):
    x = inputs.uniform(p["rows"], p["cols"])
    return lambda: torch.topk(x, p["k"])


def embedding(p, inputs):
    weight = inputs.uniform(p["words"], p["width"])
    indices = inputs.integers(0, p["words"], p["tokens"])
    return lambda: F.embedding(indices, weight)


def max_pool2d(p, inputs):
    x = inputs.uniform(p["n"], p["c"], p["h"], p["h"])
    return lambda: torch.max_pool2d(x, [3, 3], [2, 2], [1, 1])


def transpose_copy(p, inputs):
    x = inputs.uniform(p["rows"], p["cols"])
    return lambda: torch.transpose_copy(x, 0, 1)


def full_like(p, inputs):
    x = inputs.uniform(p["elements"])
    return lambda: torch.full_like(x, 0.5)


def repeat(p, inputs):
    x = inputs.uniform(1, p["cols"])
    return lambda: x.repeat(p["times"], 1)


def spin(p, inputs):
    token = inputs.uniform(32)
    return lambda: torch.ops.plumbline_spin.spin(p["cycles"], token)


MAKERS = {
    "gemm": gemm,
    "sdpa": sdpa,
    "conv2d": conv2d,
    "softmax": softmax,
    "layer_norm": layer_norm,
    "gelu": pointwise(F.gelu),
    "silu": pointwise(F.silu),
    "relu": pointwise(torch.relu),
    "add": add,
    "sum": total,
    "aten::topk": topk,
    "aten::embedding": embedding,
    "aten::max_pool2d": max_pool2d,
    "aten::transpose_copy.int": transpose_copy,
    "aten::full_like": full_like,
    "aten::repeat": repeat,
    "plumbline_spin::spin": spin,
}


def launch_of(case, device):
    """A call that enqueues one launch of a case of cases.read_cases()."""
    return MAKERS[case["op"]](case["params"], Inputs(case["case"], case["dtype"], device))
