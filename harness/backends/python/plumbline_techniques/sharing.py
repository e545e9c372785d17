"""share: several weights are one.

tied: blocks of the same shape have the same weights (Lan et al., "ALBERT: A Lite BERT", 2019).
clustered: the weights of a layer have at most k values (Han, Mao, Dally, "Deep Compression", 2015).
"""

import torch
import torch.nn.functional as F
from torch import nn

from .layers import layers_of, replace

ROUNDS = 50  # of k-means at most; it ends when no weight changes its cluster


def tie_blocks(module):
    """Gives each of the network's `blocks` the parameters of the first one with the same shapes.

    Returns {"tied_blocks"}. NotImplementedError if no two blocks have the same shapes.
    """
    first, tied = {}, 0
    for block in getattr(module, "blocks", ()):
        shapes = tuple((name, tuple(parameter.shape)) for name, parameter in block.named_parameters())
        owner = first.setdefault(shapes, block)
        if owner is block or not shapes:
            continue
        for mine, theirs in zip(block.modules(), owner.modules()):
            mine._parameters.update(theirs._parameters)
        tied += 1
    if not tied:
        raise NotImplementedError("share: tied: the network lists no `blocks` of the same shape")
    return {"tied_blocks": tied}


def clustered(weights, k):
    """k-means of numbers. -> (codebook [k], indices of the shape of the weights, uint8), which minimise the squares.

    The first centres divide the range equally, as Han et al. advise: large weights are few, and matter. After that each
    round is of Lloyd, "Least Squares Quantization in PCM", 1982.
    """
    values = weights.detach().double().flatten()
    centres = torch.linspace(float(values.min()), float(values.max()), k, dtype=torch.float64, device=values.device)
    indices = None
    for _ in range(ROUNDS):
        nearest = torch.bucketize(values, (centres[1:] + centres[:-1]) / 2)
        if indices is not None and torch.equal(nearest, indices):
            break
        indices = nearest
        counts = torch.bincount(indices, minlength=k)
        sums = torch.zeros_like(centres).index_add_(0, indices, values)
        empty = counts == 0
        centres = torch.where(empty, centres, sums / counts.clamp(min=1))
        errors = (values - centres[indices]).abs()
        if empty.any() and errors.max() > 0:  # an empty cluster takes the value that is farthest from its centre
            centres[empty.nonzero()[0]] = values[errors.argmax()]
        centres = centres.sort().values
    indices = torch.bucketize(values, (centres[1:] + centres[:-1]) / 2)
    return centres.to(weights.dtype), indices.to(torch.uint8).view(weights.shape)


class Clustered(nn.Module):
    """A linear layer or a convolution that computes with a codebook and indices of one byte.

    The codebook is trained: its gradient is the sum of those of the weights that share a value.
    """

    def __init__(self, layer, k):
        super().__init__()
        codebook, indices = clustered(layer.weight, k)
        self.codebook = nn.Parameter(codebook)
        self.register_buffer("indices", indices)
        self.bias = layer.bias
        self.options = None
        if isinstance(layer, nn.Conv2d):
            self.options = (layer.stride, layer.padding, layer.dilation, layer.groups)

    @property
    def weight(self):
        return F.embedding(self.indices.int(), self.codebook[:, None]).squeeze(-1)

    def forward(self, x):
        if self.options is None:
            return F.linear(x, self.weight, self.bias)
        return F.conv2d(x, self.weight, self.bias, *self.options)


def cluster_layers(module, k):
    """Replaces linear layers and convolutions that have more than k weights. Returns {"layers", "values": most values
    of a layer, "bytes", "dense_bytes": of their weights}. NotImplementedError if there are none."""
    found = {"layers": 0, "values": 0, "bytes": 0, "dense_bytes": 0}
    for name, layer in layers_of(module, nn.Linear, nn.Conv2d):
        if layer.weight.numel() <= k or getattr(layer, "padding_mode", "zeros") != "zeros":
            continue
        replacement = Clustered(layer, k)
        replace(module, name, replacement)
        found["layers"] += 1
        found["values"] = max(found["values"], len(replacement.indices.unique()))
        found["bytes"] += replacement.indices.numel() + k * layer.weight.element_size()
        found["dense_bytes"] += layer.weight.numel() * layer.weight.element_size()
    if not found["layers"]:
        raise NotImplementedError("share: clustered: the network has no linear layer or convolution")
    return found
