"""The task of accuracy.py: scikit-learn's handwritten digits, and two small networks that read them.

1797 images of 8x8 pixels in 10 classes (Alpaydin, Kaynak, "Optical Recognition of Handwritten Digits", UCI, 1998). The
first 1000 are for training. The others are held out: other people wrote them, so that they are harder.
"""

import torch
import torch.nn.functional as F
from torch import nn

TRAINING = 1000
CLASSES = 10
WIDTH = 32  # of both networks; small, so that float32 leaves room for losses and gains


def digits():
    """(images [n, 1, 8, 8] in [-1, 1], labels [n]) to train with, and the same of the held-out ones.

    NotImplementedError without scikit-learn.
    """
    try:
        from sklearn.datasets import load_digits
    except ImportError as missing:
        raise NotImplementedError(f"accuracy needs scikit-learn ({missing}): pip install 'plumbline-gpu[accuracy]'") from missing
    loaded = load_digits()
    images = torch.tensor(loaded.images, dtype=torch.float32)[:, None] / 8 - 1
    labels = torch.tensor(loaded.target, dtype=torch.int64)
    return (images[:TRAINING], labels[:TRAINING]), (images[TRAINING:], labels[TRAINING:])


class ConvolutionBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)
        self.conv2 = nn.Conv2d(WIDTH, WIDTH, 3, padding=1)

    @property
    def prunable(self):
        return [((self.conv1,), (self.conv2,))]

    def forward(self, x):
        return x + self.conv2(F.relu(self.conv1(x)))


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(1, WIDTH, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(ConvolutionBlock() for _ in range(2))
        self.hidden = nn.Linear(WIDTH, 2 * WIDTH)
        self.head = nn.Linear(2 * WIDTH, CLASSES)

    def forward(self, images):
        x = self.stem(images)
        for block in self.blocks:
            x = block(x)
        return self.head(F.relu(self.hidden(F.relu(x).mean((2, 3)))))


class AttentionBlock(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    @property
    def prunable(self):
        return [((self.up,), (self.down,))]

    def forward(self, x):
        parts = self.qkv(self.norm1(x)).unflatten(2, (3, 4, WIDTH // 4)).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(*parts)
        x = x + self.projection(y.transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """Reads 16 patches of 2x2 pixels."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, WIDTH, 2, stride=2)
        self.positions = nn.Parameter(torch.randn(1, 16, WIDTH) * 0.1)
        self.blocks = nn.ModuleList(AttentionBlock() for _ in range(2))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)

    def forward(self, images):
        x = self.patches(images).flatten(2).transpose(1, 2) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))


NETWORKS = {"convolutional": Convolutional, "transformer": Transformer}
