"""The inputs of recorded calls, kept so that a suite can replay them: `plumbline capture --inputs`.

Knows calls by what calls.py says of them, and no suites.
"""

import collections
import dataclasses
import hashlib

import torch

from plumbline_gpu._tensor_file import bytes_of, save_tensors

RECORDINGS = 4  # of a call, at most: a launch takes one of them at random


@dataclasses.dataclass
class Saved:
    """What an expression needs to know of a tensor in the file."""

    tensor: str
    has_nan: bool


class Inputs:
    """Of one process. `limit_bytes`: of all contents, equal ones counted once. The first inputs of each call come
    first: further recordings take half of the room at most."""

    def __init__(self, limit_bytes):
        self.limit_bytes = limit_bytes
        self.used_bytes = 0
        self.contents = {}  # hash -> contiguous tensor in host memory
        self.recordings = collections.defaultdict(list)  # call -> of each recording: place of a tensor -> hash
        self.left_out = {}  # call -> bytes of its inputs, for which there was no room
        self.names = {}  # hashes of a tensor's recordings -> its name in the file
        self.arrays = {}  # name -> hashes

    def add(self, call, tensors):
        """`tensors`: by place, before the call runs."""
        if not tensors or call in self.left_out:
            return
        known = self.recordings[call]
        if len(known) == RECORDINGS:
            return
        needed = sum(extent(tensor) * tensor.element_size() for tensor in tensors.values())
        if needed > self.limit_bytes:
            self.left_out[call] = needed
            return
        recording, new = {}, {}
        for place, tensor in tensors.items():
            content = kept(tensor)
            key = hashlib.blake2b(bytes_of(content), digest_size=16, key=str(content.dtype).encode()).hexdigest()
            key += "x".join(map(str, content.shape))
            recording[place] = key
            if key not in self.contents:
                new[key] = content
        added = sum(content.numel() * content.element_size() for content in new.values())
        if recording in known or self.used_bytes + added > (self.limit_bytes / 2 if known else self.limit_bytes):
            if not known:
                self.left_out[call] = needed
            return
        known.append(recording)
        self.contents.update(new)
        self.used_bytes += added

    def saved(self, call, place):
        """The Saved of a tensor; None: the call's inputs are not kept."""
        recordings = self.recordings.get(call)
        if not recordings or place not in recordings[0]:
            return None
        keys = tuple(recording[place] for recording in recordings)
        keys = keys[:1] if len(set(keys)) == 1 else keys
        if keys not in self.names:
            stem = call.op.partition("::")[2] + "." + (place if isinstance(place, str) else f"{place[0]}.{place[1]}")
            name, number = stem, 1
            while name in self.arrays:
                number += 1
                name = f"{stem}.{number}"
            self.names[keys], self.arrays[name] = name, keys
        has_nan = any(t.is_floating_point() and t.float().isnan().any().item() for t in map(self.contents.get, keys))
        return Saved(self.names[keys], has_nan)

    def write(self, path):
        """Those that saved() has named."""
        save_tensors(path, {
            name: self.contents[keys[0]] if len(keys) == 1 else torch.stack([self.contents[key] for key in keys])
            for name, keys in self.arrays.items()
        })  # fmt: skip


def extent(tensor):
    """Elements from its first to its last one in memory."""
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride())) if tensor.numel() else 0


def kept(tensor):
    """A copy of the memory of a tensor with gaps, or of its elements."""
    tensor = tensor.detach()
    if not tensor.is_contiguous():
        tensor = tensor.as_strided((extent(tensor),), (1,), tensor.storage_offset())
    return tensor.to("cpu", copy=True).contiguous()


def read_tensors(func, found):
    """Without those that the operator only writes to (`out`), single numbers and empty ones."""
    written = {a.name for a in func._schema.arguments if a.kwarg_only and a.alias_info and a.alias_info.is_write}
    return {place: value for place, value in found.items()
            if isinstance(value, torch.Tensor) and value.numel() and (place if isinstance(place, str) else place[0]) not in written}  # fmt: skip
