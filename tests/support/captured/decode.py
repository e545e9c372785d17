"""Prefill and decode of a small transformer with a cache, in plain torch: python decode.py TOKENS."""

import sys

import plumbline_gpu as pl
import torch
from torch.nn.functional import silu

torch.manual_seed(0)
WIDTH, HEADS, WORDS, LAYERS = 64, 4, 100, 2
WEIGHTS = [[torch.randn(m * WIDTH, n * WIDTH) / 16 for m, n in ((1, 3), (1, 1), (1, 4), (4, 1))] for _ in range(LAYERS)]
TABLE = torch.randn(WORDS, WIDTH)
KEYS = torch.zeros(LAYERS, 1, HEADS, 128, WIDTH // HEADS)
VALUES = torch.zeros_like(KEYS)


def next_token(tokens, at):
    x = TABLE[tokens]
    b, t, _ = x.shape
    for (wqkv, wo, w1, w2), keys, values in zip(WEIGHTS, KEYS, VALUES):
        q, k, v = (y.view(b, t, HEADS, -1).transpose(1, 2) for y in (x @ wqkv).chunk(3, -1))
        keys[:, :, at : at + t], values[:, :, at : at + t] = k, v
        score = q @ keys[:, :, : at + t].transpose(-1, -2) / 4
        if t > 1:
            score = score.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        mixed = (score.softmax(-1) @ values[:, :, : at + t]).transpose(1, 2).reshape(b, t, WIDTH)
        x = x + mixed @ wo
        x = x + silu(x @ w1) @ w2
    return (x[:, -1] @ TABLE.T).argmax(-1, keepdim=True)


with torch.inference_mode():
    with pl.phase("prefill"):
        token = next_token(torch.randint(0, WORDS, (1, 32)), 0)
    for at in range(32, 32 + int(sys.argv[1])):
        with pl.phase("decode"):
            token = next_token(token, at)
print(token.item())
sys.exit(3)
