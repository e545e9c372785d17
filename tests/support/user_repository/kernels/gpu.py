#!/usr/bin/env python3
"""Builds the code that gpu.yaml measures: a Triton kernel and a LibTorch extension, into build/.

usage: gpu.py [COMPUTE_CAPABILITY]
"""

import json
import pathlib
import subprocess
import sys

import torch
import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE / "build"
TIMES = 1


@triton.jit
def add_kernel(x, y, z, n, SIZE: tl.constexpr, TIMES: tl.constexpr):
    """z = x + y, read and added TIMES times."""
    offsets = tl.program_id(0) * SIZE + tl.arange(0, SIZE)
    mask = offsets < n
    total = tl.zeros([SIZE], tl.float32)
    for _ in range(TIMES):
        total = tl.load(x + offsets, mask=mask, volatile=True) + tl.load(y + offsets, mask=mask, volatile=True)
    tl.store(z + offsets, total, mask=mask)


def build_triton(capability):
    types = {"x": "*fp32", "y": "*fp32", "z": "*fp32", "n": "i32", "SIZE": "constexpr", "TIMES": "constexpr"}
    source = ASTSource(add_kernel, types, {(4,): 1024, (5,): TIMES})
    kernel = triton.compile(source, target=GPUTarget("cuda", capability, 32))
    fields = {name: getattr(kernel.metadata, name) for name in kernel.metadata._fields}
    (BUILD / "add.cubin").write_bytes(kernel.asm["cubin"])
    text = json.dumps(fields, default=lambda value: getattr(value, "__dict__", str(value)))
    (BUILD / "add.json").write_text(text, encoding="utf-8")


def build_extension():
    from torch.utils.cpp_extension import include_paths

    includes = [f"-I{path}" for path in include_paths()]
    command = ["c++", "-O2", "-std=c++17", "-shared", "-fPIC", *includes, "twice.cpp", "-o", "build/libtwice.so"]
    subprocess.run(command, cwd=HERE, check=True)


if __name__ == "__main__":
    BUILD.mkdir(exist_ok=True)
    build_triton(int(sys.argv[1]) if len(sys.argv) > 1 else 90)
    build_extension()
