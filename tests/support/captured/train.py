"""A small transformer and its training, in plain torch: python train.py STEPS [cuda].

On a GPU it is larger and computes in bfloat16, so that kernels take longer than Python needs to launch them.
"""

import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm1(x)).chunk(3, -1))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, words, width, layers, heads):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.blocks(self.embed(tokens)))


DEVICE = sys.argv[2] if len(sys.argv) > 2 else "cpu"
WORDS, WIDTH, LAYERS, HEADS, BATCH, TOKENS = (8192, 1024, 4, 16, 16, 512) if DEVICE == "cuda" else (101, 64, 2, 4, 4, 32)
torch.manual_seed(0)
model = Model(WORDS, WIDTH, LAYERS, HEADS).to(DEVICE)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(int(sys.argv[1])):
    tokens = torch.randint(0, WORDS, (BATCH, TOKENS + 1), device=DEVICE)
    with torch.autocast("cuda", torch.bfloat16, enabled=DEVICE == "cuda"):
        loss = nn.functional.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
print(f"loss {loss.item():.3f}")
