"""Prefill and decode of a small transformer with a cache, in plain torch: python decode.py TOKENS [cuda LIBRARY].

LIBRARY has plumbline_spin::slowed_spin (tests/support/spin_ops), which each layer calls on a GPU: PLANTED_SLOWDOWNS in the
environment makes it slower.
"""

import sys

import plumbline_gpu as pl
import torch
from torch.nn.functional import silu

DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
WIDTH, HEADS, WORDS, LAYERS, BATCH, PAST = (4096, 32, 32000, 4, 16, 1024) if DEVICE == "cuda" else (64, 4, 100, 2, 1, 32)
CYCLES, PERMILLE = 40000, 500  # cycles of the SM clock in each layer; their share, in thousandths, that a planted
                               # slowdown adds
torch.manual_seed(0)
torch.set_default_device(DEVICE)
if DEVICE == "cuda":
    torch.ops.load_library(sys.argv[3])
    torch.set_default_dtype(torch.bfloat16)
WEIGHTS = [[torch.randn(m * WIDTH, n * WIDTH) / 16 for m, n in ((1, 3), (1, 1), (1, 4), (4, 1))] for _ in range(LAYERS)]
TABLE = torch.randn(WORDS, WIDTH)
KEYS = torch.zeros(LAYERS, BATCH, HEADS, PAST + 96, WIDTH // HEADS)
VALUES = torch.zeros_like(KEYS)
ONE = torch.ones(1)


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
        if DEVICE == "cuda":
            mixed = mixed * torch.ops.plumbline_spin.slowed_spin(CYCLES, PERMILLE, ONE)
        x = x + mixed @ wo
        x = x + silu(x @ w1) @ w2
    return (x[:, -1] @ TABLE.T).argmax(-1, keepdim=True)


with torch.inference_mode():
    with pl.phase("prefill"):
        token = next_token(torch.randint(0, WORDS, (BATCH, PAST)), 0)
    for at in range(PAST, PAST + int(sys.argv[1])):
        with pl.phase("decode"):
            token = next_token(token, at)
print(token[0].item())
sys.exit(3)
