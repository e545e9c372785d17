"""A function of JAX. Tensors go in and out by DLPack, without a copy.

JAX has a stream of its own. It waits for torch's current stream, and that one waits for the result."""

import os

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else XLA takes most of the GPU's memory when it starts

import jax
import torch


@jax.jit
def softmax_of_rows(x):
    return jax.nn.softmax(x, axis=1)


def softmax(x):
    return torch.from_dlpack(softmax_of_rows(jax.dlpack.from_dlpack(x)))
