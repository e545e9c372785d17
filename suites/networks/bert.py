"""BERT-base: a text to classes, by the encoder of a transformer, as in fine-tuning for a task of GLUE.

Devlin, Chang, Lee, Toutanova, "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
2018. Without its dropout, so that a step can be compared with the same step in float64.

Tokens [batch, length], of int64 below `vocabulary` -> logits [batch, classes]; labels [batch], of int64.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """[batch, length, width] -> the same: attention and an MLP, each added to its input and then normalised."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.projection = nn.Linear(width, width)
        self.norm1 = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-12)

    @property
    def prunable(self):
        """[(modules that make the channels, modules that read them)]"""
        return [((self.up,), (self.down,))]

    def split(self, x):
        """[batch, length, width] -> [batch, heads, length, head width]"""
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        query, key, value = (self.split(part(x)) for part in (self.query, self.key, self.value))
        y = F.scaled_dot_product_attention(query, key, value)
        x = self.norm1(x + self.projection(y.transpose(1, 2).flatten(2)))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    def __init__(self, vocabulary, positions, width, heads, hidden, layers, classes):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Embedding(positions, width)
        self.segments = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.blocks = nn.ModuleList(Block(width, heads, hidden) for _ in range(layers))
        self.pooler = nn.Linear(width, width)
        self.head = nn.Linear(width, classes)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)

    def forward(self, tokens):
        # One text per row: all words are of segment 0.
        x = self.words(tokens) + self.positions.weight[: tokens.shape[1]] + self.segments.weight[0]
        x = self.norm(x)
        for block in self.blocks:
            x = block(x)
        return self.head(torch.tanh(self.pooler(x[:, 0])))


def bert(vocabulary=30522, positions=512, width=768, heads=12, hidden=3072, layers=12, classes=2):
    """The defaults are BERT-base: 85,054,464 parameters in the blocks, 109,482,240 without the head."""
    return Bert(vocabulary, positions, width, heads, hidden, layers, classes)


def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)
