"""A call of an operator as a suite can express it: its arguments with their shapes, types, strides and values.

`describe` gives a hashable Call. Tensors are described, never kept.
"""

import dataclasses
import math

import torch

DTYPES = {getattr(torch, name): name for name in (
    "float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool",
    "float8_e4m3fn", "float8_e5m2")}  # fmt: skip
MEMORY_FORMATS = {
    torch.contiguous_format: "contiguous",
    torch.preserve_format: "preserve",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
}
# Operators that only give memory or ask about a tensor, and compute nothing.
NO_WORK = {"aten::" + name for name in (
    "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "resize_", "set_",
    "is_pinned", "is_same_size", "record_stream", "_has_compatible_shallow_copy_type", "lift", "_reshape_alias",
    "_unsafe_view", "sym_size", "sym_stride", "sym_numel", "sym_storage_offset", "dim", "numel", "is_contiguous")}  # fmt: skip
OTHER_PROCESSES = {"c10d", "_c10d_functional", "_c10d_functional_autograd", "_dtensor"}
LEFT_OUT = {"generator", "pin_memory", "layout"}  # arguments that do not change the time


class NotCovered(Exception):
    """Why a suite cannot express it, in words."""


@dataclasses.dataclass(frozen=True)
class TensorArgument:
    dtype: str
    shape: tuple
    strides: tuple  # () for a contiguous tensor
    is_host: bool = False  # a single number in host memory, on any device


@dataclasses.dataclass(frozen=True)
class Text:
    """A quoted text in a suite, or a word of its grammar."""

    text: str


@dataclasses.dataclass(frozen=True)
class Real:
    """A floating-point number. It does not change the time: a scheduler's new rate makes no new case."""


@dataclasses.dataclass(frozen=True)
class Call:
    op: str  # aten::add.Tensor
    arguments: tuple  # of (name, value)


def is_work(func):
    """Whether a call computes or copies anything. Views, allocations and questions about a tensor do not."""
    schema = func._schema
    is_view = any(r.alias_info is not None and not r.alias_info.is_write for r in schema.returns)
    return not (is_view or schema.name in NO_WORK or schema.name.startswith(("profiler::", "prim::")))


def describe(func, args, kwargs, values):
    """The Call. Puts its tensors and numbers into `values`, by their place in it. Throws NotCovered."""
    schema = func._schema
    check_origin(func)
    given = dict(zip((argument.name for argument in schema.arguments), args))
    given.update(kwargs)
    tensors = [value for value in flat(given.values()) if isinstance(value, torch.Tensor)]
    is_cuda = any(tensor.is_cuda for tensor in tensors)
    check_devices(tensors, given.get("device"), is_cuda)
    op, scalar_types = schema.name + ("." + schema.overload_name if schema.overload_name else ""), {}
    if any(is_number(given.get(a.name)) and str(a.type) == "Tensor" for a in schema.arguments):
        op, scalar_types = scalar_overload(func, given)
    arguments = []
    for argument in schema.arguments:
        if argument.name not in given or argument.name in LEFT_OUT and argument.has_default_value():
            continue
        value = None if argument.name in LEFT_OUT else given[argument.name]
        if argument.has_default_value() and same(argument.default_value, value):
            continue
        wants_tensor = str(argument.type) == "Tensor" and argument.name not in scalar_types
        if wants_tensor and is_number(value):
            values[argument.name] = value
            arguments.append((argument.name, TensorArgument(number_type(value), (), (), True)))
            continue
        arguments.append((argument.name, described(value, argument.name, is_cuda, values)))
    return Call(op, tuple(arguments))


def drawn_like(func, place, value):
    """The value whose bounds a random input keeps: negative targets are ignored, but an input must name a class."""
    if place == "target" and isinstance(value, torch.Tensor) and any(a.name == "ignore_index" for a in func._schema.arguments):
        return value.clamp(min=0)
    return value


def check_origin(func):
    schema = func._schema
    if func.namespace in OTHER_PROCESSES:
        raise NotCovered("talks to other processes")
    if schema.name == "aten::_local_scalar_dense":
        raise NotCovered("waits for a number of the device")
    if func.namespace != "aten":
        if schema.name in {name.partition(".")[0] for name in torch.library._defs}:
            raise NotCovered("is defined in Python, which a suite cannot load")
        if not torch.ops.loaded_libraries:
            raise NotCovered("is of no library that a suite could load")
    if any(isinstance(a.type, torch._C.AnyType) for a in schema.arguments):
        raise NotCovered("takes arguments of any type")


def check_devices(tensors, device, is_cuda):
    kinds = {tensor.device.type for tensor in tensors if tensor.dim() > 0 or not is_cuda}
    if device is not None:
        kinds.add(torch.device(device).type)
    if len(kinds) > 1:
        raise NotCovered("copies between devices, or works on two")
    if kinds - {"cpu", "cuda"}:
        raise NotCovered("works on " + kinds.pop())


def described(value, place, is_cuda, values):
    """`place`: the argument, and the number in its list."""
    if isinstance(value, torch.Tensor):
        return described_tensor(value, place, is_cuda, values)
    if isinstance(value, (list, tuple)):
        return tuple(described(item, (place, i), is_cuda, values) for i, item in enumerate(value))
    if isinstance(value, float) and not (2 * value).is_integer():
        values[place] = value
        return Real()
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str) and not ("'" in value and '"' in value):
        return Text(value)
    if isinstance(value, torch.device):
        return Text(value.type)
    if value in DTYPES:
        return Text(DTYPES[value])
    if value in MEMORY_FORMATS:
        return Text(MEMORY_FORMATS[value])
    raise NotCovered(f"takes {value!r} as '{place}'")


def described_tensor(tensor, place, is_cuda, values):
    if tensor.layout != torch.strided or tensor.is_quantized or tensor.is_nested:
        raise NotCovered(f"takes a tensor of layout {str(tensor.layout).removeprefix('torch.')}")
    if tensor.dtype not in DTYPES:
        raise NotCovered(f"takes a tensor of {str(tensor.dtype).removeprefix('torch.')}")
    dtype = DTYPES[tensor.dtype]
    if is_cuda and not tensor.is_cuda:
        values[place] = tensor.item()
        return TensorArgument(dtype, (), (), True)
    values[place] = tensor
    strides = () if tensor.is_contiguous() else tuple(tensor.stride())
    return TensorArgument(dtype, tuple(tensor.shape), strides)


def scalar_overload(func, given):
    """`add.Scalar` for `add.Tensor(x, 2)`: (name, its arguments that are numbers); the own name if none fits."""
    schema = func._schema
    packet = getattr(getattr(torch.ops, func.namespace), schema.name.partition("::")[2])
    for overload in packet.overloads():
        other = getattr(packet, overload)._schema
        if "Scalar" not in overload or [a.name for a in other.arguments] != [a.name for a in schema.arguments]:
            continue
        if all((str(a.type) == "number") == is_number(given[a.name]) for a in other.arguments
               if a.name in given and str(a.type) in ("Tensor", "number") and not a.has_default_value()):  # fmt: skip
            return f"{schema.name}.{overload}", {a.name for a in other.arguments if str(a.type) == "number"}
    return schema.name + ("." + schema.overload_name if schema.overload_name else ""), set()


def flat(values):
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from flat(value)
        else:
            yield value


def is_number(value):
    return isinstance(value, (bool, int, float))


def number_type(value):
    return "bool" if isinstance(value, bool) else "int64" if isinstance(value, int) else "float32"


def same(default, value):
    if isinstance(value, (list, tuple)):
        return isinstance(default, (list, tuple)) and list(default) == list(value)
    if isinstance(value, torch.Tensor):
        return False
    return type(default) is type(value) and default == value


class Bounds:
    """Smallest and largest value of a tensor or number in all calls: indices stay valid, square roots stay real."""

    def __init__(self):
        self.low, self.high = math.inf, -math.inf

    def add(self, value):
        if not isinstance(value, torch.Tensor):
            self.low, self.high = min(self.low, value), max(self.high, value)
        elif value.numel() > 0:
            self.add_tensor(value)

    def add_tensor(self, tensor):
        if tensor.dtype == torch.bool or tensor.element_size() == 1 and tensor.is_floating_point():
            low, high = 0, 1
        else:
            low, high = (bound.item() for bound in torch.aminmax(tensor.detach()))
        self.low, self.high = min(self.low, low), max(self.high, high)
