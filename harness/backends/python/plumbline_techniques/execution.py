"""How the operators of a step are run: memory_format, compile, graph, checkpoint and sdpa. The results are the same."""

import contextlib

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from .observed import ATTENTION, Kept

KERNELS = {"math": SDPBackend.MATH, "flash": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
           "efficient": SDPBackend.EFFICIENT_ATTENTION}  # fmt: skip
WARM_UPS = 3  # steps before a capture: libraries make their workspaces, autograd its buffers


# memory_format


def channels_last(module):
    """Puts the weights of convolutions into channels_last. NotImplementedError if there are none."""
    if not any(parameter.dim() == 4 for parameter in module.parameters()):
        raise NotImplementedError("memory_format: channels_last: the network has no convolution of images")
    module.to(memory_format=torch.channels_last)


def as_channels_last(value):
    is_image = isinstance(value, torch.Tensor) and value.dim() == 4
    return value.contiguous(memory_format=torch.channels_last) if is_image else value


def memory_format_evidence(observed):
    """{"convolutions": {memory format of their images: times}}. NotImplementedError if none is channels_last."""
    if not observed.images["channels_last"] and not observed.images["either"]:
        raise NotImplementedError("memory_format: channels_last: no convolution had such images; seen: "
                                  f"{dict(observed.images) or 'no convolution'}")
    return {"convolutions": dict(observed.images)}


# sdpa


def attention_kernels(sdpa):
    return contextlib.nullcontext() if sdpa == "auto" else sdpa_kernel(KERNELS[sdpa])


def attention_evidence(sdpa, observed):
    """{"operators": {name: times}} of fused attention. NotImplementedError if another kernel ran than the one asked
    for. `math` is made of products, so that no fused operator may have run."""
    ran = {name: times for name, times in observed.operators.items() if name.startswith(ATTENTION)}
    word = "efficient_attention" if sdpa == "efficient" else sdpa
    if sdpa == "math":
        fits = not any("attention_math" not in name for name in ran) and observed.operators["bmm"] > 0
    else:
        fits = any(word in name for name in ran) and all(word in name for name in ran)
    if not fits:
        raise NotImplementedError(f"sdpa: {sdpa}: attention ran as {', '.join(sorted(ran)) or 'no fused operator'}")
    return {"operators": ran}


# checkpoint


def checkpoint_blocks(module, has_dropout):
    """Each block keeps only its inputs and is computed again in the backward pass, with the same random numbers.

    Chen, Xu, Zhang, Guestrin, "Training Deep Nets with Sublinear Memory Cost", 2016. Returns the blocks.
    """
    blocks = list(getattr(module, "blocks", ()))
    if not blocks:
        raise NotImplementedError("checkpoint: the network lists no `blocks`")
    for block in blocks:
        block.forward = recomputed(block.forward, has_dropout)
    return blocks


def recomputed(forward, has_dropout):
    def run(*args, **kwargs):
        return checkpoint(forward, *args, use_reentrant=False, preserve_rng_state=has_dropout, **kwargs)

    return run


@contextlib.contextmanager
def without_checkpoints(blocks):
    wrapped = [block.__dict__.pop("forward") for block in blocks]  # the method of the class stays
    try:
        yield
    finally:
        for block, forward in zip(blocks, wrapped):
            block.forward = forward


def checkpoint_evidence(blocks, forward, without):
    """{"kept_bytes", "kept_bytes_without"}: what the backward pass keeps, after `forward` has run.

    NotImplementedError if checkpoints do not lower it.
    """
    hooks = []
    with Kept(without) as kept:
        for block in blocks:
            hooks.append(block.register_forward_pre_hook(
                lambda _, args: [kept.add(value) for value in args if isinstance(value, torch.Tensor)] and None))
        value = forward()  # held, so that what it keeps is counted once
    for hook in hooks:
        hook.remove()
    del value
    with without_checkpoints(blocks), Kept(without) as all_kept:
        value = forward()
    del value
    found = {"kept_bytes": kept.bytes, "kept_bytes_without": all_kept.bytes}
    if not kept.bytes < all_kept.bytes:
        raise NotImplementedError(f"checkpoint: the backward pass keeps {kept.bytes} bytes with it, and "
                                  f"{all_kept.bytes} without")
    return found


# compile


def compile_evidence(module, inputs):
    """{"graphs", "graph_breaks", "reasons"} by torch._dynamo.explain. NotImplementedError if nothing is compiled."""
    explained = torch._dynamo.explain(module)(**inputs)
    reasons = sorted({str(reason.reason) for reason in explained.break_reasons})
    if explained.graph_count == 0 or explained.op_count == 0:
        raise NotImplementedError(f"compile: dynamo compiled nothing: {'; '.join(reasons) or 'it gives no reason'}")
    return {"graphs": explained.graph_count, "graph_breaks": explained.graph_break_count, "reasons": reasons}


# graph


def holds_tensors(value):
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) or holds_tensors(item) for item in value)


class Captured:
    """A step as one CUDA graph: every call runs the same kernels on the same memory.

    `run(**args)` is the step, `restore()` takes back what the warm-up changed. The result is the same tensor after
    each call. Arguments with other addresses than those of the capture are copied to them, except `written` ones, which
    the step changes: for those it must be captured again (is_elsewhere()).
    """

    def __init__(self, run, args, restore, written=()):
        self.args, self.written = args, written
        for name, value in args.items():
            if holds_tensors(value):
                raise NotImplementedError(f"graph: {name} holds several tensors, which a CUDA graph would not follow")
        self.warm_up(run)
        restore()
        self.graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        torch._C._cuda_clearCublasWorkspaces()  # the graph takes its own, from its memory
        with torch.cuda.graph(self.graph):
            self.result = run(**args)
        torch._C._cuda_clearCublasWorkspaces()  # nothing else may use it, or free it

    def warm_up(self, run):
        """On the current stream: its memory is used again as soon as the host lets go of it. The default stream cannot
        wait for a capture, as gradients would ask it to."""
        current = torch.cuda.current_stream()
        stream = torch.cuda.Stream() if current == torch.cuda.default_stream() else current
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            for _ in range(WARM_UPS):
                run(**self.args)
        current.wait_stream(stream)

    def is_elsewhere(self, args):
        """Whether an argument that the step changes has another address than when it was captured."""
        return any(args[name].data_ptr() != self.args[name].data_ptr() for name in self.written)

    def __call__(self, **args):
        for name, value in args.items():
            mine = self.args[name]
            if isinstance(value, torch.Tensor) and value.data_ptr() != mine.data_ptr():
                if value.shape != mine.shape or value.dtype != mine.dtype:
                    raise ValueError(f"graph: {name} was captured as {list(mine.shape)}, and is {list(value.shape)}")
                if not mine.is_cuda:  # former steps may still copy from there
                    torch.cuda.synchronize()
                mine.copy_(value)
        self.graph.replay()
        return self.result


def check_graph(device):
    if device.type != "cuda":
        raise NotImplementedError(f"graph: CUDA graphs need a GPU; the device is {device.type}")


def averaging(module, bucket_mb):
    """The network whose gradients are averaged over all ranks while the backward pass goes on."""
    if any(isinstance(part, torch.nn.SyncBatchNorm) for part in module.modules()):
        raise NotImplementedError("ranks: SyncBatchNorm: the float64 step is that of one process")
    return torch.nn.parallel.DistributedDataParallel(module, bucket_cap_mb=bucket_mb, gradient_as_bucket_view=True)
