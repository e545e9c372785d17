"""transfer: a step begins with copying its arguments from the host, as a training loop does.

Pinned memory is read by the device itself, while the host goes on. For pageable memory the host copies first, and waits.
"""

import contextlib

import torch


class CudaLink:
    """Memory of the host, memory of a GPU, and copies between them."""

    def __init__(self, device):
        self.device = device

    def on_host(self, tensor, pinned):
        """Memory for such a tensor, without values."""
        return torch.empty_like(tensor, device="cpu", pin_memory=pinned, requires_grad=False)

    def is_pinned(self, tensor):
        return tensor.is_pinned()

    def is_on_device(self, tensor):
        return tensor.is_cuda

    def to_device(self, tensor, pinned):
        return tensor.to(self.device, non_blocking=pinned)

    def settle(self):
        """Waits until no copy reads the host's memory."""
        torch.cuda.synchronize(self.device)


def link_of(device, kind):
    if device.type != "cuda":
        raise NotImplementedError(f"transfer: {kind}: a CPU's memory is the host's; --device cuda has both")
    return CudaLink(device)


def changed(value, change):
    """A tensor, or the tensors in a list, changed; other values as they are."""
    if isinstance(value, (list, tuple)):
        return [changed(item, change) for item in value]
    return change(value) if isinstance(value, torch.Tensor) else value


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [] if not isinstance(value, (list, tuple)) else [tensor for item in value for tensor in tensors_in(item)]


def layout_of(tensor):
    return tensor.shape, tensor.stride(), tensor.dtype


class Transfer:
    """`kind` is pinned or pageable. `link` copies (CudaLink; in tests, anything with its methods)."""

    def __init__(self, kind, link):
        self.kind, self.link, self.pinned = kind, link, kind == "pinned"
        self.seen = None  # while copies are watched: pairs, on the host and on the device

    # Outside of a step.

    def laid(self, args, before=None):
        """Arguments in memory of the host. That of `before` (a former result) is used again where it fits: a CUDA graph
        reads the memory that it was captured with."""
        self.link.settle()
        former = iter(tensors_in([*(before or {}).values()]))
        return {name: changed(value, lambda tensor: self.laid_tensor(tensor, next(former, None)))
                for name, value in args.items()}  # fmt: skip

    def laid_tensor(self, tensor, former):
        if former is None or layout_of(former) != layout_of(torch.empty_like(tensor, device="meta")):
            former = self.link.on_host(tensor, self.pinned)
        with torch.no_grad():
            return former.copy_(tensor)

    # In a step.

    def copied(self, args):
        """Arguments on the device, for one step."""
        return {name: changed(value, self.to_device) for name, value in args.items()}

    def to_device(self, tensor):
        there = self.link.to_device(tensor, self.pinned)
        if self.seen is not None:
            self.seen.append((tensor, there))
        return there

    # Evidence.

    @contextlib.contextmanager
    def watched(self):
        """Yields what evidence() takes: it has the copies that are made meanwhile."""
        self.seen = seen = []
        try:
            yield seen
        finally:
            self.seen = None

    def evidence(self, seen):
        """{"memory": pinned or pageable, "tensors", "bytes": of the copies in a step}

        NotImplementedError if a tensor did not lie in such memory, or if nothing was copied.
        """
        seen = [(host, there) for host, there in seen if host.nbytes > 0]
        odd = sum(self.link.is_on_device(host) or self.link.is_pinned(host) != self.pinned or not self.link.is_on_device(there)
                  for host, there in seen)  # fmt: skip
        if not seen or odd:
            raise NotImplementedError(f"transfer: {self.kind}: {odd} of the {len(seen)} tensors of a step were not copied "
                                      "from such memory to the device")  # fmt: skip
        return {"memory": self.kind, "tensors": len(seen), "bytes": sum(host.nbytes for host, _ in seen)}
