"""Arguments of a callable, copied to another place in memory for each block.

A kernel's time depends on the place of its tensors (DRAM channels, cache sets), so one place is one random sample. All
copies of a call lie in one buffer, each at a random offset.
"""

import random

_ALIGNMENT = 512  # bytes, as in torch's allocator
_SLACK = 8 << 20  # bytes over which places are spread


class Placements:
    """`args` and `kwargs`, whose tensors are copied by `at()`. Other values are passed unchanged."""

    def __init__(self, args, kwargs, seed=1):
        self._args, self._kwargs = args, kwargs
        self._seed = seed
        self._buffers = {}  # by device

    def at(self, number):
        """(args, kwargs) at the place with that number; equal numbers are the same place.

        Overwrites the copies of the previous place.
        """
        draw = random.Random(f"{self._seed}/{number}")
        self._used = {}
        return self._copied(self._args, draw), self._copied(self._kwargs, draw)

    def _copied(self, value, draw):
        import torch

        if isinstance(value, torch.Tensor):
            return self._copy(value, draw)
        if isinstance(value, (list, tuple)):
            copies = [self._copied(part, draw) for part in value]
            is_named = hasattr(value, "_fields")
            return type(value)(*copies) if is_named else type(value)(copies)
        if isinstance(value, dict):
            return {name: self._copied(part, draw) for name, part in value.items()}
        return value

    def _copy(self, tensor, draw):
        import torch

        if tensor.layout != torch.strided or tensor.is_quantized or tensor.numel() == 0:
            return tensor.detach().clone().requires_grad_(tensor.requires_grad)
        span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
        size = span * tensor.element_size()
        buffer = self._buffer(tensor.device)
        begin = self._used.get(tensor.device, 0) + _ALIGNMENT * draw.randrange(_SLACK // _ALIGNMENT)
        self._used[tensor.device] = -(-(begin + size) // _ALIGNMENT) * _ALIGNMENT
        bytes_here = buffer[begin : begin + size]
        elements = bytes_here.view(tensor.dtype)
        elements.copy_(tensor.detach().as_strided((span,), (1,)))  # also for strides of 0
        copy = elements.as_strided(tensor.shape, tensor.stride(), elements.storage_offset())
        return copy.detach().requires_grad_(tensor.requires_grad)

    def _buffer(self, device):
        import torch

        if device not in self._buffers:
            size = sum(_room_of(x) for x in _tensors((self._args, self._kwargs), device))
            self._buffers[device] = torch.empty(size, dtype=torch.uint8, device=device)
        return self._buffers[device]


def _room_of(tensor):
    span = 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride()))
    return span * tensor.element_size() + _SLACK + 2 * _ALIGNMENT


def _tensors(value, device):
    import torch

    if isinstance(value, torch.Tensor):
        if value.device == device and value.layout == torch.strided and value.numel() > 0:
            yield value
    elif isinstance(value, dict):
        yield from _tensors(tuple(value.values()), device)
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from _tensors(part, device)
