"""Writes tensors as safetensors, which suites read: `file('x.safetensors', 'x')[n]`."""

import ctypes
import json
import os
import tempfile

import torch

TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32",
         "int16": "I16", "int8": "I8", "uint8": "U8", "bool": "BOOL", "float8_e4m3fn": "F8_E4M3",
         "float8_e5m2": "F8_E5M2"}  # fmt: skip


def save_tensors(path, tensors):
    """Writes tensors by name, from any device, as contiguous ones. The file is written whole or not at all.

    `torch.stack` of several recordings makes a tensor whose first dimension a suite does not name: a launch takes one of
    them at random. Raises TypeError for a type that suites do not take.
    """
    header, pieces, end = {}, [], 0
    for name, tensor in tensors.items():
        dtype = str(tensor.dtype).removeprefix("torch.")
        if dtype not in TYPES or tensor.layout != torch.strided:
            raise TypeError(f"{name!r} is a tensor of {dtype}, {tensor.layout}; suites take strided ones of {', '.join(TYPES)}")
        pieces.append(tensor.detach().to("cpu").contiguous())
        begin, end = end, end + pieces[-1].numel() * pieces[-1].element_size()
        header[str(name)] = {"dtype": TYPES[dtype], "shape": list(tensor.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path = os.path.abspath(path)
    descriptor, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=os.path.dirname(path))
    try:
        with open(descriptor, "wb") as file:
            file.write(len(text).to_bytes(8, "little") + text)
            for piece in pieces:
                file.write(bytes_of(piece))
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def bytes_of(tensor):
    """Of a contiguous tensor in host memory; NumPy need not be there."""
    count = tensor.numel() * tensor.element_size()
    return (ctypes.c_char * count).from_address(tensor.data_ptr()) if count else b""
