"""Vision transformer ViT-B/16: an image to classes, by attention between its patches.

Dosovitskiy et al., "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale", 2020.

Images [batch, 3, 224, 224] -> logits [batch, classes]; labels [batch], of int64.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    """[batch, tokens, width] -> the same: attention and an MLP, each normalised before and added to its input."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, eps=1e-6)
        self.qkv = nn.Linear(width, 3 * width)
        self.projection = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width, eps=1e-6)
        self.up = nn.Linear(width, hidden)
        self.down = nn.Linear(hidden, width)

    @property
    def prunable(self):
        """[(modules that make the channels, modules that read them)]"""
        return [((self.up,), (self.down,))]

    def attention(self, x):
        batch, tokens, width = x.shape
        qkv = self.qkv(x).view(batch, tokens, 3, self.heads, width // self.heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)  # each [batch, heads, tokens, head width]
        y = F.scaled_dot_product_attention(query, key, value)
        return self.projection(y.transpose(1, 2).reshape(batch, tokens, width))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class VisionTransformer(nn.Module):
    def __init__(self, image, patch, channels, width, heads, hidden, layers, classes):
        super().__init__()
        self.patches = nn.Conv2d(channels, width, patch, stride=patch)
        self.class_token = nn.Parameter(torch.zeros(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, (image // patch) ** 2 + 1, width) * 0.02)
        self.blocks = nn.ModuleList(Block(width, heads, hidden) for _ in range(layers))
        self.norm = nn.LayerNorm(width, eps=1e-6)
        self.head = nn.Linear(width, classes)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x[:, 0]))


def vit(image=224, patch=16, channels=3, width=768, heads=12, hidden=3072, layers=12, classes=1000):
    """The defaults are ViT-B/16, which has 86,567,656 parameters."""
    return VisionTransformer(image, patch, channels, width, heads, hidden, layers, classes)


def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)
