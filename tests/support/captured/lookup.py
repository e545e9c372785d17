"""Operators whose data matter, for tests of recorded inputs: places in a table, a mask with infinities, a product that
overflows, a transposed matrix. Argument: number of steps."""

import sys

import torch

import plumbline_gpu as pl

torch.manual_seed(0)
table = torch.randn(4096, 32)
mask = torch.full((64, 64), float("-inf")).triu(1)
for step in range(int(sys.argv[1])):
    # Few rows, most of them the same: drawn places would read the whole table.
    places = torch.cat([torch.full((60,), 7 + step), torch.arange(4)])
    rows = torch.nn.functional.embedding(places, table)
    weights = torch.softmax(rows @ rows.t() + mask, dim=-1)
    large = (weights @ rows).abs() * 1e30  # sums of one sign overflow to the same infinity everywhere
    assert (large @ large.t()).isinf().any()
    torch.zeros(4096).index_add(0, places, rows.sum(1))
    pl.step()
