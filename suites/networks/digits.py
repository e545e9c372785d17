"""Two small networks that read handwritten digits, and the task that says what they learn.

scikit-learn brings 1797 images of 8x8 pixels in 10 classes (Alpaydin, Kaynak, "Optical Recognition of Handwritten
Digits", UCI, 1998). The first 1000 are for training. The others are held out: other people wrote them, so that they are
harder.
"""

import gzip
import importlib.util
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn

TRAINING = 1000
CLASSES = 10
WIDTH = 32  # of both networks; small, so that float32 leaves room for losses and gains


def convolutional():
    return Convolutional()


def transformer():
    return Transformer()


def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)


def right(outputs, labels):
    return outputs.argmax(1) == labels


def digits_table():
    """[1797, 65]: 64 pixels from 0 to 16, and the digit. Reads scikit-learn's file and does not import scikit-learn, which
    would set variables of the process and load a second OpenMP. NotImplementedError without the file."""
    package = importlib.util.find_spec("sklearn")
    for folder in package.submodule_search_locations if package else ():
        file = pathlib.Path(folder, "datasets", "data", "digits.csv.gz")
        if file.exists():
            with gzip.open(file, "rt") as lines:
                return torch.tensor([[float(number) for number in line.split(",")] for line in lines])
    raise NotImplementedError(f"the digits come with scikit-learn, and {sys.executable} has none: pip install scikit-learn")


def digits_task():
    """Images [n, 1, 8, 8] in [-1, 1] and labels [n]."""
    table = digits_table()
    images, labels = table[:, :-1].reshape(-1, 1, 8, 8) / 8 - 1, table[:, -1].long()
    return {
        "training": {"images": images[:TRAINING], "labels": labels[:TRAINING]},
        "held_out": {"images": images[TRAINING:], "labels": labels[TRAINING:]},
        "steps": 300,
        "batch": 64,
        "learning_rate": {"adamw": 0.002},
        "right": right,
    }


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
