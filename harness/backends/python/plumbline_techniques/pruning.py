"""prune: weights that are taken out of a network, before it is used or trained on.

structured: whole channels, so that the tensors shrink (Li et al., "Pruning Filters for Efficient ConvNets", 2016).
2:4: two of each four weights of a row are zero, which GPUs multiply faster (Mishra et al., "Accelerating Sparse Deep
Neural Networks", 2021).
"""

import torch
import torch.nn.functional as F
from torch import nn

from .layers import layers_of, replace
from .observed import bytes_of

OUTPUTS = {nn.Linear: "out_features", nn.Conv2d: "out_channels", nn.BatchNorm2d: "num_features"}
INPUTS = {nn.Linear: "in_features", nn.Conv2d: "in_channels"}
DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16}


def cut(module, names, sizes, kept, dimension):
    """Keeps the channels `kept` of the tensors `names` of a module, along `dimension`."""
    for name in names:
        tensor = getattr(module, name, None)
        if tensor is None:
            continue
        smaller = tensor.detach().index_select(dimension, kept).clone(memory_format=torch.contiguous_format)
        is_parameter = isinstance(tensor, nn.Parameter)
        setattr(module, name, nn.Parameter(smaller, tensor.requires_grad) if is_parameter else smaller)
    setattr(module, sizes[type(module)], len(kept))


def remove_channels(module, fraction):
    """Removes the share `fraction` of the channels that the network's parts list as `prunable`: those with the
    smallest sum of absolute weights. Returns {"layers", "removed_channels", "channels"}.

    NotImplementedError if the network lists none.
    """
    removed = total = layers = 0
    for part in list(module.modules()):
        for makers, readers in getattr(part, "prunable", ()):
            weights = [maker.weight.detach() for maker in makers if maker.weight.dim() > 1]
            scores = sum(weight.abs().flatten(1).sum(1) for weight in weights)
            channels = len(scores)
            keep = max(1, round(channels * (1 - fraction)))
            kept = scores.topk(keep).indices.sort().values
            for maker in makers:
                cut(maker, ("weight", "bias", "running_mean", "running_var"), OUTPUTS, kept, 0)
            for reader in readers:
                cut(reader, ("weight",), INPUTS, kept, 1)
            removed, total, layers = removed + channels - keep, total + channels, layers + 1
    if not removed:
        raise NotImplementedError("prune: structured: the network lists no channels (`prunable`) that can be removed")
    return {"layers": layers, "removed_channels": removed, "channels": total}


def zero_two_of_four(module):
    """Sets the two smallest of each four weights of a row to zero, in the linear layers whose rows are multiples of 4."""
    layers = [layer for _, layer in layers_of(module, nn.Linear) if layer.in_features % 4 == 0]
    for layer in layers:
        fours = layer.weight.detach().view(layer.out_features, -1, 4)
        smallest = fours.abs().topk(2, dim=2, largest=False).indices
        fours.scatter_(2, smallest, 0.0)
    return layers


class SparseLinear(nn.Module):
    """A linear layer whose weights are stored and multiplied as 2:4, in float16 or bfloat16."""

    def __init__(self, layer, dtype):
        super().__init__()
        sparse = torch.sparse.to_sparse_semi_structured(layer.weight.detach().to(dtype))
        self.weight = nn.Parameter(sparse, requires_grad=False)
        self.bias = None if layer.bias is None else nn.Parameter(layer.bias.detach().to(dtype), requires_grad=False)
        self.dtype = dtype

    def forward(self, x):
        with torch.autocast(x.device.type, enabled=False):
            rows = x.reshape(-1, x.shape[-1]).to(self.dtype)
            return F.linear(rows, self.weight, self.bias).unflatten(0, x.shape[:-1])


def compress(module, precision, device):
    """Replaces linear layers by SparseLinear. Returns {"layers", "left" (names), "bytes", "dense_bytes"}.

    NotImplementedError on a CPU, or if torch's sparse kernels take none of the shapes.
    """
    if device.type != "cuda":
        raise NotImplementedError(f"prune: 2:4: sparse kernels need a GPU; the device is {device.type}")
    found = {"layers": 0, "left": [], "bytes": 0, "dense_bytes": 0}
    for name, layer in layers_of(module, nn.Linear):
        try:
            sparse = SparseLinear(layer, DTYPES[precision])
        except RuntimeError:  # the shape is not one of the kernels'
            found["left"].append(name)
            continue
        replace(module, name, sparse)
        found["layers"] += 1
        found["bytes"] += bytes_of(sparse.weight)
        found["dense_bytes"] += layer.weight.numel() * 2
    if not found["layers"]:
        raise NotImplementedError("prune: 2:4: the sparse kernels take no layer of the network")
    return found
