"""quantize: linear layers that compute with weights of 8 or 4 bits, for inference.

int8: weights and, when they arrive, inputs are rounded to 8 bits (torch.ao's dynamic layers, on CPUs).
fp8: both are rounded to float8_e4m3fn with one scale for a tensor (Micikevicius et al., "FP8 Formats for Deep
Learning", 2022). int4_weights: groups of a row's weights have a scale and a zero; products are in bfloat16.
"""

import warnings

import torch
from torch import nn

from .layers import layers_of, replace

FP8 = torch.float8_e4m3fn
LARGEST_FP8 = torch.finfo(FP8).max
GROUPS = (128, 64, 32)  # weights that share a scale in int4; the largest that divides the row


def result_dtype(x):
    """What a plain linear layer would give: autocast's type, or that of x."""
    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype


def scaled_to_fp8(x):
    """x in float8 with the scale that gives it back."""
    scale = (x.abs().amax().float() / LARGEST_FP8).clamp(min=1e-12)
    return (x.float() / scale).clamp(-LARGEST_FP8, LARGEST_FP8).to(FP8), scale


class Fp8Linear(nn.Module):
    def __init__(self, layer):
        super().__init__()
        weight, scale = scaled_to_fp8(layer.weight.detach())
        self.register_buffer("weight", weight)
        self.register_buffer("scale", scale)
        self.bias = layer.bias

    @staticmethod
    def takes(layer):
        return layer.in_features % 16 == 0 and layer.out_features % 16 == 0

    def forward(self, x):
        rows, scale = scaled_to_fp8(x.reshape(-1, x.shape[-1]))
        y = torch._scaled_mm(rows, self.weight.t(), scale, self.scale, out_dtype=torch.bfloat16)
        y = y.to(result_dtype(x))
        y = y if self.bias is None else y + self.bias.to(y.dtype)
        return y.unflatten(0, x.shape[:-1])


class Int4Linear(nn.Module):
    def __init__(self, layer):
        super().__init__()
        weight = layer.weight.detach().float()
        self.group = next(group for group in GROUPS if layer.in_features % group == 0)
        groups = weight.view(layer.out_features, -1, self.group)
        low, high = groups.amin(2, keepdim=True), groups.amax(2, keepdim=True)
        # What the kernel computes is (index - 8) * scale + zero, with both in bfloat16.
        scale = ((high - low) / 15).clamp(min=1e-6).bfloat16()
        zero = (low + 8 * scale.float()).bfloat16()
        indices = ((groups - zero.float()) / scale.float() + 8).round().clamp(0, 15)
        indices = indices.to(torch.int32).view(layer.out_features, layer.in_features)
        tiles = next(tiles for tiles in (8, 4, 2) if layer.in_features % (16 * tiles) == 0)
        if weight.device.type == "cuda":
            pairs = (indices[:, ::2] << 4 | indices[:, 1::2]).to(torch.uint8)
            packed = torch._convert_weight_to_int4pack(pairs, tiles)
        else:
            packed = torch._convert_weight_to_int4pack_for_cpu(indices, tiles)
        self.register_buffer("weight", packed)
        scales = torch.cat([scale, zero], 2)  # [rows, groups, 2]
        self.register_buffer("scales", scales.transpose(0, 1).contiguous())
        self.bias = layer.bias

    @staticmethod
    def takes(layer):
        return layer.in_features % GROUPS[-1] == 0 and layer.out_features % 16 == 0

    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1]).bfloat16()
        product = torch._weight_int4pack_mm if x.is_cuda else torch._weight_int4pack_mm_for_cpu
        y = product(rows, self.weight, self.group, self.scales).to(result_dtype(x))
        y = y if self.bias is None else y + self.bias.to(y.dtype)
        return y.unflatten(0, x.shape[:-1])


def check(quantize, device):
    """Raises NotImplementedError if the device or this torch has no such layers."""
    if quantize == "int8":
        if device.type != "cpu":
            raise NotImplementedError(f"quantize: int8: torch.ao's dynamic layers run on CPUs; the device is {device.type}")
        if not hasattr(torch.ao.quantization, "quantize_dynamic"):
            raise NotImplementedError(f"quantize: int8: torch {torch.__version__} has no torch.ao.quantization.quantize_dynamic")
    if quantize == "fp8":
        if device.type != "cuda" or torch.cuda.get_device_capability(device) < (8, 9):
            raise NotImplementedError("quantize: fp8 needs a GPU of compute capability 8.9 or later")
    if quantize == "int4_weights" and device.type == "cuda" and torch.cuda.get_device_capability(device) < (8, 0):
        raise NotImplementedError("quantize: int4_weights needs compute capability 8.0 or later")


def replace_linears(module, kind):
    """Replaces the linear layers that a kind takes. Returns {"layers", "left" (names), "bytes", "dense_bytes"}: the
    bytes of weights and scales before and after. NotImplementedError if it takes none."""
    found = {"layers": 0, "left": [], "bytes": 0, "dense_bytes": 0}
    for name, layer in layers_of(module, nn.Linear):
        if not kind.takes(layer):
            found["left"].append(name)
            continue
        replacement = kind(layer)
        replace(module, name, replacement)
        found["layers"] += 1
        found["bytes"] += sum(buffer.numel() * buffer.element_size() for buffer in replacement.buffers())
        found["dense_bytes"] += layer.weight.numel() * layer.weight.element_size()
    if not found["layers"]:
        raise NotImplementedError(f"quantize: {kind.__name__} takes no layer of the network; left: "
                                  f"{', '.join(found['left']) or 'there is no nn.Linear'}")
    return found


def to_int8(module):
    """torch.ao's dynamic layers in place of nn.Linear and nn.LSTM. Returns as replace_linears() does."""
    kinds = {nn.Linear, nn.LSTM}
    layers = layers_of(module, *kinds)
    if not layers:
        raise NotImplementedError("quantize: int8: the network has no nn.Linear and no nn.LSTM")
    dense = sum(weight.numel() for _, layer in layers for weight in layer.parameters() if weight.dim() > 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.ao.quantization.quantize_dynamic(module, kinds, dtype=torch.qint8, inplace=True)
    return {"layers": len(layers), "left": [], "bytes": dense, "dense_bytes": dense * 4}


def quantized(module, quantize, device):
    """Replaces layers of the module. Returns what replace_linears() does."""
    check(quantize, device)
    if quantize == "int8":
        return to_int8(module)
    return replace_linears(module, {"fp8": Fp8Linear, "int4_weights": Int4Linear}[quantize])
