"""allocator: who gives memory to the tensors of a step.

`arena` is the harness' own memory, in which all cases lie at places that are drawn at random. The others are those that a
program has: torch's caching allocator (native), the same with segments that grow (expandable_segments), and the driver's
pool (cuda_malloc_async). torch reads its settings once, so that the worker's process was started with them.
"""

import collections

import torch

BACKENDS = {"native": "native", "expandable_segments": "native", "cuda_malloc_async": "cudaMallocAsync"}

# What allocates: torch's name of it, and the segments of its memory, of which some can grow. The driver's pool lists none.
InUse = collections.namedtuple("InUse", "backend segments expandable")


def check(kind, device):
    """NotImplementedError on a device that has no such allocators."""
    if device.type != "cuda":
        raise NotImplementedError(f"allocator: {kind}: it gives memory of a GPU; --device cuda has it")


def in_use():
    """What allocates the GPU memory of this process, after a step has run."""
    backend = torch.cuda.get_allocator_backend()
    segments = torch.cuda.memory_snapshot() if backend == "native" else []
    return InUse(backend, len(segments), sum(segment["is_expandable"] for segment in segments))


def evidence(kind, used):
    """{"backend", and of a native one its "segments" and how many are "expandable"}

    NotImplementedError if another allocator was in use.
    """
    wanted = BACKENDS[kind]
    if used.backend != wanted:
        raise NotImplementedError(f"allocator: {kind}: memory came from the allocator '{used.backend}', not from '{wanted}'")
    if wanted != "native":
        return {"backend": used.backend}
    odd = used.segments - used.expandable if kind == "expandable_segments" else used.expandable
    if odd or not used.segments:
        raise NotImplementedError(f"allocator: {kind}: {used.expandable} of {used.segments} segments can grow")
    return {"backend": used.backend, "segments": used.segments, "expandable": used.expandable}
