"""The floating-point operations of a step that the network needs, whatever computes it: model FLOPs.

From them and the time follows the model FLOPs utilisation (Chowdhery et al., "PaLM: Scaling Language Modeling with
Pathways", 2022). Activations that are computed again do not count, nor does what is no product: normalisation, activation
functions, the optimizer. A multiplication and an addition are two operations.
"""

import copy
import math

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

from .observed import PRODUCTS
from .transfer import changed


def of_convolution(images, filters, outputs, transposed):
    """Each number of the smaller side meets a filter: that of the outputs, or of the inputs if it is transposed."""
    side = images if transposed else outputs
    return 2 * side[0] * math.prod(side[2:]) * math.prod(filters)


def of_convolution_backward(gradients, images, filters, bias, stride, padding, dilation, transposed, of_outputs, groups,
                            mask, **_):  # fmt: skip
    return sum(mask[:2]) * of_convolution(images, filters, gradients, transposed)


# What torch's counter leaves out, or counts otherwise: gradients of a convolution as if it had no groups.
FORMULAS = {
    torch.ops.aten.mv: lambda matrix, vector, **_: 2 * math.prod(matrix),
    torch.ops.aten.addmv: lambda added, matrix, vector, **_: 2 * math.prod(matrix),
    torch.ops.aten.dot: lambda one, other, **_: 2 * math.prod(one),
    torch.ops.aten.convolution_backward: of_convolution_backward,
}


class Unknown(Exception):
    """An operator ran that may be a product, and nobody knows how many operations it has."""


class Refusing(TorchDispatchMode):
    """While it is entered, operators of others than torch, and products that `known` has no formula for, raise Unknown."""

    def __init__(self, known):
        super().__init__()
        self.known = known

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        packet = getattr(function, "overloadpacket", None)
        is_torch = getattr(function, "namespace", "") in ("aten", "prim", "prims")
        if packet not in self.known and (not is_torch or packet.__name__ in PRODUCTS):
            raise Unknown(str(function))
        return function(*args, **(kwargs or {}))


def with_tensors(module, change):
    """A copy of a module with other parameters and buffers: change(tensor) of each."""
    others = {}
    for tensor in (*module.parameters(), *module.buffers()):
        other = change(tensor.detach())
        is_weight = isinstance(tensor, torch.nn.Parameter)
        others[id(tensor)] = torch.nn.Parameter(other, tensor.requires_grad) if is_weight else other
    return copy.deepcopy(module, others)


def counted(module, loss, inputs, targets, device):
    """Of a step of the module on the device `meta`, or really."""
    from torch.utils.flop_counter import FlopCounterMode  # takes a while to import

    def change(tensor):
        return tensor.to(device, torch.float64 if tensor.is_floating_point() else None, copy=True)

    module = with_tensors(module, change)
    inputs, targets = ({name: changed(value, change) for name, value in args.items()} for args in (inputs, targets))
    counter = FlopCounterMode(display=False, custom_mapping=FORMULAS)
    # Fused attention computes the scores again in its backward pass.
    with torch.random.fork_rng(), sdpa_kernel(SDPBackend.MATH), Refusing(counter.flop_registry), counter:
        if loss is None:
            with torch.no_grad():
                module(**inputs)
        else:
            loss(module(**inputs), **targets).backward()
    return counter.get_total_flops()


def model_flops(module, loss, inputs, targets):
    """The products of one step: forward, and with a `loss` backward too. None if unknown.

    `module` is the plain network. It stays as it is, and so do torch's generators. First only the shapes are computed with,
    on the device `meta`. A network that looks at values is computed in float64, on the device of its inputs.
    """
    device = next(iter(value.device for value in inputs.values() if isinstance(value, torch.Tensor)), torch.device("cpu"))
    for place in (torch.device("meta"), device):
        try:
            return counted(module, loss, inputs, targets, place) or None
        except Unknown:
            return None
        except Exception:  # whatever the network's own code raises
            continue
    return None
