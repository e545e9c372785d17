"""What torch did while a step ran: evidence that a technique was active."""

import collections

import torch
from torch.utils._python_dispatch import TorchDispatchMode

# Operators that multiply matrices: what precision and quantisation are about.
PRODUCTS = {"mm", "addmm", "bmm", "baddbmm", "mv", "addmv", "convolution", "convolution_backward", "mkldnn_rnn_layer",
            "mkldnn_rnn_layer_backward", "_cudnn_rnn", "_cudnn_rnn_backward", "_scaled_mm", "_weight_int4pack_mm",
            "_weight_int4pack_mm_for_cpu", "linear_dynamic", "quantized_lstm"}  # fmt: skip
ATTENTION = "_scaled_dot_product_"


def name_of(dtype):
    return str(dtype).removeprefix("torch.")


class Observed(TorchDispatchMode):
    """While it is entered: counts of the operators that ran, below autocast, backward passes included.

    `operators` {name: times}, `products` {(name, dtype of its first tensor): times}, `images` {memory format of the
    images of convolutions: times}.
    """

    def __init__(self):
        super().__init__()
        self.operators = collections.Counter()
        self.products = collections.Counter()
        self.images = collections.Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        self.operators[name] += 1
        tensors = [value for value in args if isinstance(value, torch.Tensor)]
        if tensors and (name in PRODUCTS or name.startswith(ATTENTION)):
            self.products[name, name_of(tensors[0].dtype)] += 1
        if name == "convolution" and tensors[0].dim() == 4:
            last = tensors[0].is_contiguous(memory_format=torch.channels_last)
            first = tensors[0].is_contiguous()
            self.images["either" if first and last else "channels_last" if last else "contiguous"] += 1
        return function(*args, **(kwargs or {}))

    def products_in(self, dtype):
        """Times that a product ran in a dtype, by name."""
        return sum(times for (_, seen), times in self.products.items() if seen == dtype)

    def dtypes(self):
        """{dtype: products in it}"""
        found = collections.Counter()
        for (_, dtype), times in self.products.items():
            found[dtype] += times
        return dict(found)


class Kept:
    """While it is entered: bytes of the tensors that autograd keeps for the backward pass.

    Each piece of memory counts once, and `without` (parameters, inputs) does not count. A checkpointed block hides
    what it keeps, which is its inputs: give them to add().
    """

    def __init__(self, without):
        self.sizes = {}
        self.without = {tensor.untyped_storage().data_ptr() for tensor in without}
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self.pack, lambda tensor: tensor)

    def add(self, tensor):
        storage = tensor.untyped_storage()
        if storage.data_ptr() not in self.without:
            self.sizes[storage.data_ptr()] = storage.nbytes()

    def pack(self, tensor):
        self.add(tensor)
        return tensor

    def __enter__(self):
        self.hooks.__enter__()
        return self

    def __exit__(self, *failure):
        return self.hooks.__exit__(*failure)

    @property
    def bytes(self):
        return sum(self.sizes.values())


def bytes_of(tensor):
    """Bytes of a tensor, or of the tensors inside a compressed one."""
    if hasattr(tensor, "__tensor_flatten__"):
        return sum(bytes_of(getattr(tensor, part)) for part in tensor.__tensor_flatten__()[0])
    return tensor.numel() * tensor.element_size()


def weights_of(module):
    """{"parameters", "bytes" (buffers included), "zeros" (share of the parameters)}; shared tensors count once."""
    parameters = list(module.parameters())
    plain = [tensor for tensor in parameters if not hasattr(tensor, "__tensor_flatten__")]
    count = sum(tensor.numel() for tensor in plain)
    zeros = sum(int((tensor == 0).sum()) for tensor in plain)
    return {
        "parameters": sum(tensor.numel() for tensor in parameters),
        "bytes": sum(bytes_of(tensor) for tensor in (*parameters, *module.buffers())),
        "zeros": zeros / count if count else 0.0,
    }
