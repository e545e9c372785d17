"""Decoder blocks of Llama 3: RMSNorm, rotary positions, grouped-query attention, SwiGLU.

Touvron et al., "LLaMA: Open and Efficient Foundation Language Models", 2023; Grattafiori et al., "The Llama 3 Herd of
Models", 2024. RoPE: Su et al., 2021. Grouped queries: Ainslie et al., 2023. SwiGLU: Shazeer, 2020.

Prefill: hidden [batch, length, width] -> the same shape; position i sees the positions up to i.
Decode: hidden [batch, 1, width], with the caches key_cache and value_cache [layers, batch, kv heads, capacity, head
width] and position [1], of int64. The new token stands at `position`; its key and value are written there, and it
sees the cache up to there. The shapes are the same for every position, so that a CUDA graph can be replayed.
Embeddings and head are not part of it. labels: the hidden values wanted, of the shape of the outputs.
"""

import torch
import torch.nn.functional as F
from torch import nn


def rotated(x, angles):
    """x [batch, heads, length, head width], turned by angles [length, head width / 2]: RoPE, halves paired."""
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


class Block(nn.Module):
    """Attention and an MLP, each normalised before and added to its input."""

    def __init__(self, width, heads, kv_heads, hidden):
        super().__init__()
        self.head_width = width // heads
        self.norm1 = nn.RMSNorm(width, eps=1e-5)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, kv_heads * self.head_width, bias=False)
        self.value = nn.Linear(width, kv_heads * self.head_width, bias=False)
        self.projection = nn.Linear(width, width, bias=False)
        self.norm2 = nn.RMSNorm(width, eps=1e-5)
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    @property
    def prunable(self):
        """[(modules that make the channels, modules that read them)]"""
        return [((self.gate, self.up), (self.down,))]

    def split(self, x):
        """[batch, length, heads * head width] -> [batch, heads, length, head width]"""
        return x.unflatten(2, (-1, self.head_width)).transpose(1, 2)

    def attention(self, x, angles, cache, position):
        query = rotated(self.split(self.query(x)), angles)
        key = rotated(self.split(self.key(x)), angles)
        value = self.split(self.value(x))
        if cache is None:
            y = F.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
        else:
            keys, values = cache
            keys.index_copy_(2, position, key.to(keys.dtype))
            values.index_copy_(2, position, value.to(values.dtype))
            visible = (torch.arange(keys.shape[2], device=x.device) <= position)[None, None, None]
            y = F.scaled_dot_product_attention(query, keys.to(query.dtype), values.to(query.dtype), visible,
                                               enable_gqa=True)
        return self.projection(y.transpose(1, 2).flatten(2))

    def forward(self, x, angles, cache=None, position=None):
        x = x + self.attention(self.norm1(x), angles, cache, position)
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    def __init__(self, width, heads, kv_heads, hidden, layers, theta):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width, heads, kv_heads, hidden) for _ in range(layers))
        head_width = width // heads
        frequencies = theta ** (-torch.arange(0, head_width, 2, dtype=torch.float64) / head_width)
        self.register_buffer("frequencies", frequencies.float(), persistent=False)

    def forward(self, hidden, key_cache=None, value_cache=None, position=None):
        decodes = position is not None
        positions = position if decodes else torch.arange(hidden.shape[1], device=hidden.device)
        angles = positions[:, None] * self.frequencies
        for i, block in enumerate(self.blocks):
            cache = (key_cache[i], value_cache[i]) if decodes else None
            hidden = block(hidden, angles, cache, position)
        return hidden


def llama(width=4096, heads=32, kv_heads=8, hidden=14336, layers=1, theta=500000.0):
    """The defaults are one block of Llama 3 8B, with 218,112,000 parameters; the model has 32."""
    return Llama(width, heads, kv_heads, hidden, layers, theta)


def loss(outputs, labels):
    return F.mse_loss(outputs, labels)
