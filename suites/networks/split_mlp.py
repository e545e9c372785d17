"""MLPs of a transformer whose hidden layers are split over ranks: each rank computes its part, and products are added up.

Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism", 2019.

x [batch, tokens, width] -> the same on each rank; target as x. Without torch.distributed it is the whole network.
"""

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn


def rank_and_ranks():
    return (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)


class SumOverRanks(torch.autograd.Function):
    """Forward the sum of all ranks' parts, backward the gradient as it is."""

    @staticmethod
    def forward(ctx, part):
        total = part.clone()
        dist.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx, gradient):
        return gradient


class SameOnRanks(torch.autograd.Function):
    """Forward its input as it is, backward the sum of all ranks' gradients: each rank used it."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, gradient):
        total = gradient.contiguous().clone()
        dist.all_reduce(total)
        return total


class Block(nn.Module):
    """Rank r of n has the r-th n-th of the hidden units: rows of `up`, columns of `down`."""

    def __init__(self, width, hidden):
        super().__init__()
        rank, ranks = rank_and_ranks()
        if hidden % ranks:
            raise NotImplementedError(f"{hidden} hidden units are no multiple of {ranks} ranks")
        self.is_split = ranks > 1
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width, bias=False)
        self.bias = nn.Parameter(torch.zeros(width))
        if self.is_split:  # all ranks draw the same weights and keep their part
            part = slice(rank * hidden // ranks, (rank + 1) * hidden // ranks)
            self.up.weight, self.up.bias = nn.Parameter(self.up.weight[part].clone()), nn.Parameter(self.up.bias[part].clone())
            self.down.weight = nn.Parameter(self.down.weight[:, part].clone())

    def forward(self, x):
        y = self.norm(x)
        if not self.is_split:
            return x + self.down(F.gelu(self.up(y))) + self.bias
        return x + SumOverRanks.apply(self.down(F.gelu(self.up(SameOnRanks.apply(y))))) + self.bias


class SplitMlp(nn.Module):
    def __init__(self, width, hidden, layers):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, hidden) for _ in range(layers))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def split_mlp(width=4096, hidden=16384, layers=4):
    return SplitMlp(width, hidden, layers)


def loss(outputs, target):
    return F.mse_loss(outputs, target)
