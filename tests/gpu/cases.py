#!/usr/bin/python3
"""The cases that both Plumbline and its peers measure, with Plumbline's ids.

    cases.py > cases.csv

Each real case is one of suites/aa.yaml with the tag `peer`, each spin kernel one of
suites/spin.yaml; launches.py makes them in Python. `cases.py` prints cases.csv, which lists them
for peers.py.
"""

import argparse
import csv
import json
import sys

COLUMNS = ["case", "op", "dtype", "params"]
SPIN_CYCLES_PER_US = 1980  # at the highest SM clock of an H200
SPIN_US = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]


def linear(m, n, k):
    return {"m": m, "n": n, "k": k, "transpose_b": True, "epilogue": "bias"}


def projection(m, n, k):
    return {"m": m, "n": n, "k": k, "transpose_b": True}


def product(m, n, k):
    return {"m": m, "n": n, "k": k}


def attention(batch, heads, q_len, kv_len, head_dim, **more):
    names = ["batch", "heads", "q_len", "kv_len", "head_dim"]
    return {**dict(zip(names, [batch, heads, q_len, kv_len, head_dim])), **more}


def filters(size, channels, window, padding, layout):
    named = {"n": 32, "c": channels, "h": size, "w": size, "k": channels, "r": window, "s": window}
    return {**named, "padding": padding, **({} if layout == "nchw" else {"layout": layout})}


def matrix(rows, cols, **more):
    return {"rows": rows, "cols": cols, **more}


# (op, dtypes, parameters of the cases): parameters at their default are left out, as in the ids.
REAL = [
    ("gemm", ["float16"], [linear(4096, 768, 768), linear(4096, 2304, 768)]),
    ("gemm", ["float16"], [linear(4096, 3072, 768), linear(4096, 768, 3072)]),
    ("gemm", ["bfloat16"], [projection(2048, 4096, 4096), projection(2048, 14336, 4096)]),
    ("gemm", ["bfloat16"], [projection(m, 4096, 4096) for m in (1, 16)]),
    ("gemm", ["bfloat16"], [projection(16, 14336, 4096)]),
    ("gemm", ["float32", "bfloat16"], [product(n, n, n) for n in (1024, 4096)]),
    ("gemm", ["bfloat16"], [product(8192, 8192, 8192)]),
    ("gemm", ["float32"], [product(64, 64, 64), product(256, 256, 256)]),
    ("gemm", ["bfloat16"], [product(128, 768, 768)]),
    ("sdpa", ["float32", "bfloat16"], [attention(8, 12, 512, 512, 64)]),
    ("sdpa", ["bfloat16"], [attention(8, 12, 1024, 1024, 64, causal=True)]),
    ("sdpa", ["bfloat16"], [attention(16, 32, 1, 2048, 128, kv_heads=8)]),
    ("conv2d", ["float16"], [filters(56, 64, 3, 1, "nchw"), filters(56, 64, 3, 1, "nhwc")]),
    ("conv2d", ["float16"], [filters(28, 128, 3, 1, "nhwc"), filters(7, 512, 3, 1, "nhwc")]),
    ("softmax", ["float32", "float16"], [matrix(49152, 512)]),
    ("softmax", ["float32"], [matrix(256, 1000), matrix(1024, 50257)]),
    ("softmax", ["float16"], [matrix(16, 128256)]),
    ("layer_norm", ["bfloat16"], [matrix(4096, 768), matrix(2048, 4096)]),
    ("layer_norm", ["float32"], [matrix(8192, 1600)]),
    ("gelu", ["float32", "bfloat16"], [{"elements": 12582912}]),
    ("silu", ["bfloat16"], [{"elements": 29360128}]),
    ("relu", ["float16"], [{"elements": 25690112}]),
    ("add", ["float32"], [{"elements": n} for n in (65536, 1048576, 16777216, 268435456)]),
    ("sum", ["float32"], [matrix(8192, 8192, axis=axis) for axis in ("rows", "cols", "all")]),
    ("sum", ["bfloat16"], [matrix(4096, 3072, axis="rows")]),
    ("aten::topk", ["float32"], [matrix(16, 128256, k=50)]),
    ("aten::embedding", ["bfloat16"], [{"words": 128256, "width": 4096, "tokens": 2048}]),
    ("aten::max_pool2d", ["float16"], [{"n": 32, "c": 64, "h": 112}]),
    # In no nightly suite: a transposing copy, and kernels that mostly write.
    ("aten::transpose_copy.int", ["float32"], [matrix(n, n) for n in (2048, 4096)]),
    ("aten::full_like", ["float32"], [{"elements": n} for n in (1048576, 67108864)]),
    ("aten::repeat", ["float32"], [{"cols": 4096, "times": 16384}]),
]
SPINS = [
    ("plumbline_spin::spin", ["float32"], [{"cycles": t * SPIN_CYCLES_PER_US} for t in SPIN_US])
]


def text_of(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def case_id(op, dtype, params):
    """The id as Plumbline makes it: keys sorted, parameters at their default left out."""
    keys = sorted({**params, "dtype": dtype}.items())
    return "/".join([op, "libtorch", *(f"{key}={text_of(value)}" for key, value in keys)])


def expanded(groups):
    """A dictionary per case, with the columns of cases.csv."""
    return [
        {"case": case_id(op, dtype, p), "op": op, "dtype": dtype, "params": json.dumps(p)}
        for op, dtypes, rows in groups
        for dtype in dtypes
        for p in rows
    ]


def read_cases(path):
    """The cases of a file like cases.csv, with parsed parameters."""
    with open(path, newline="", encoding="utf-8") as file:
        return [{**row, "params": json.loads(row["params"])} for row in csv.DictReader(file)]


def write_cases(file):
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(expanded(REAL + SPINS))


def main():
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    write_cases(sys.stdout)


if __name__ == "__main__":
    main()
