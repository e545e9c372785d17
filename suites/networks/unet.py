"""One resolution of the U-Net of Stable Diffusion: residual convolutions and attention, told time and text.

Rombach, Blattmann, Lorenz, Esser, Ommer, "High-Resolution Image Synthesis with Latent Diffusion Models", 2021. The
defaults are its first resolution, 320 channels at 64x64, twice as in the downward half. Embedding of the time: Ho, Jain,
Abbeel, "Denoising Diffusion Probabilistic Models", 2020.

latents [batch, channels, height, width], time [batch] (steps of the diffusion, floating point) and text [batch, tokens,
text width] -> the noise, of the shape of the latents; labels: the noise that was added.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn

GROUPS = 32  # of all group norms


class Residual(nn.Module):
    """Two convolutions, added to their input; the time is added to all pixels of a channel between them."""

    def __init__(self, channels, time_width):
        super().__init__()
        self.norm1 = nn.GroupNorm(GROUPS, channels)
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1)
        self.time = nn.Linear(time_width, channels)
        self.norm2 = nn.GroupNorm(GROUPS, channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1)

    def forward(self, x, time):
        y = self.conv1(F.silu(self.norm1(x)))
        y = y + self.time(F.silu(time))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(y)))


class Attention(nn.Module):
    """Queries from x [batch, pixels, channels], keys and values from source [batch, tokens, source width]."""

    def __init__(self, channels, source_width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(channels, channels, bias=False)
        self.key = nn.Linear(source_width, channels, bias=False)
        self.value = nn.Linear(source_width, channels, bias=False)
        self.projection = nn.Linear(channels, channels)

    def split(self, x):
        return x.unflatten(2, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, source):
        y = F.scaled_dot_product_attention(self.split(self.query(x)), self.split(self.key(source)),
                                           self.split(self.value(source)))
        return self.projection(y.transpose(1, 2).flatten(2))


class Transformer(nn.Module):
    """The pixels look at each other, then at the text, then pass a gated MLP; each is added to its input."""

    def __init__(self, channels, text_width, heads):
        super().__init__()
        self.norm = nn.GroupNorm(GROUPS, channels, eps=1e-6)
        self.enter = nn.Conv2d(channels, channels, 1)
        self.norm1 = nn.LayerNorm(channels)
        self.to_pixels = Attention(channels, channels, heads)
        self.norm2 = nn.LayerNorm(channels)
        self.to_text = Attention(channels, text_width, heads)
        self.norm3 = nn.LayerNorm(channels)
        self.up = nn.Linear(channels, 4 * channels)
        self.gate = nn.Linear(channels, 4 * channels)
        self.down = nn.Linear(4 * channels, channels)
        self.leave = nn.Conv2d(channels, channels, 1)

    @property
    def prunable(self):
        """[(modules that make the channels, modules that read them)]"""
        return [((self.up, self.gate), (self.down,))]

    def forward(self, x, text):
        y = self.enter(self.norm(x)).flatten(2).transpose(1, 2)  # [batch, pixels, channels]
        z = self.norm1(y)
        y = y + self.to_pixels(z, z)
        y = y + self.to_text(self.norm2(y), text)
        z = self.norm3(y)
        y = y + self.down(self.up(z) * F.gelu(self.gate(z)))
        return x + self.leave(y.transpose(1, 2).unflatten(2, x.shape[2:]))


class Block(nn.Module):
    def __init__(self, channels, time_width, text_width, heads):
        super().__init__()
        self.residual = Residual(channels, time_width)
        self.transformer = Transformer(channels, text_width, heads)

    def forward(self, x, time, text):
        return self.transformer(self.residual(x, time), text)


class UNet(nn.Module):
    def __init__(self, channels, text_width, heads, layers):
        super().__init__()
        self.channels = channels
        self.time1 = nn.Linear(channels, 4 * channels)
        self.time2 = nn.Linear(4 * channels, 4 * channels)
        self.blocks = nn.ModuleList(Block(channels, 4 * channels, text_width, heads) for _ in range(layers))

    def time_embedding(self, time):
        """[batch] -> [batch, channels]: cosines and sines of frequencies from 1 to 1 / 10000."""
        half = self.channels // 2
        steps = torch.arange(half, device=time.device, dtype=time.dtype)
        angles = time[:, None] * torch.exp(-math.log(10000.0) * steps / half)
        return torch.cat([angles.cos(), angles.sin()], dim=1)

    def forward(self, latents, time, text):
        embedding = self.time2(F.silu(self.time1(self.time_embedding(time))))
        x = latents
        for block in self.blocks:
            x = block(x, embedding, text)
        return x


def unet(channels=320, text_width=768, heads=8, layers=2):
    """The defaults are the blocks of the first resolution of Stable Diffusion 1."""
    return UNet(channels, text_width, heads, layers)


def loss(outputs, labels):
    return F.mse_loss(outputs, labels)
