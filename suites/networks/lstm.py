"""A text to classes by an LSTM of two layers.

Hochreiter, Schmidhuber, "Long Short-Term Memory", 1997. The sizes are those of classifiers of film reviews (IMDB).

Tokens [batch, length], of int64 below `vocabulary` -> logits [batch, classes]; labels [batch], of int64.
"""

import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, vocabulary, width, hidden, layers, classes):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, classes)

    def forward(self, tokens):
        states, _ = self.lstm(self.embedding(tokens))  # [batch, length, hidden]
        return self.head(states[:, -1])


def lstm(vocabulary=25000, width=256, hidden=512, layers=2, classes=2):
    """A layer has 4 * hidden * (inputs + hidden + 2) parameters."""
    return Classifier(vocabulary, width, hidden, layers, classes)


def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)
