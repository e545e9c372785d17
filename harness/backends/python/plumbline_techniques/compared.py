"""A step compared with the same step in float64: how far are its results from what was meant?"""

import copy
import dataclasses

import torch

from .step import Step

# Total relative errors that a right step stays below, for outputs, loss and gradients of a network that is well
# conditioned: its plain step in float32 is within 1e-5. Batch norm over few values is not: ResNet-50 with four images
# of 64 pixels has an error of 1e-2 in the gradients of float32, and none of its digits in bfloat16. Updates are no
# measure under AdamW: the first one is the sign of a gradient, which rounding turns where the gradient is near zero.
BOUNDS = {"float32": 1e-4, "tf32": 3e-2, "bfloat16": 1e-1, "float16": 3e-2}
QUANTIZED_BOUNDS = {"int8": 1e-1, "fp8": 2e-1, "int4_weights": 4e-1}  # of the outputs
SMALL = 1e-3  # of the typical size of all numbers: errors of smaller tensors are measured against it


def float64(value):
    is_real = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.detach().double() if is_real else value


def reference_of(step):
    """The same step in float64, without the techniques that only change how it is computed. It has the same
    micro-batches, because batch norm sees them."""
    plain = copy.deepcopy(step.plain).to(step.device).double()
    settings = dataclasses.replace(
        step.settings, precision="float32", memory_format="contiguous", compile=False, graph=False, checkpoint=False,
        transfer="none", update="plain", sdpa="auto", prune="none", quantize="none", share="none")  # fmt: skip
    return Step(plain, settings, step.loss_function)


def errors(actual, expected):
    """{"total", "worst", "at"}: relative errors of two {name: tensor}, by Euclidean norms.

    `total` is of all numbers together, `worst` of the tensor `at`. Some tensors hold only small numbers, such as
    a gradient that is zero apart from rounding. Their errors are relative to SMALL of the typical number.
    """
    if set(actual) != set(expected):
        odd = sorted(set(actual) ^ set(expected))
        raise ValueError(f"'{odd[0]}' is in one of the two steps only")
    differences = {name: float((float64(actual[name]) - value.double()).norm()) for name, value in expected.items()}
    sizes = {name: float(value.double().norm()) for name, value in expected.items()}
    count = sum(value.numel() for value in expected.values())
    size = sum(number**2 for number in sizes.values()) ** 0.5
    typical = size / count**0.5
    each = {name: differences[name] / max(sizes[name], SMALL * typical * expected[name].numel() ** 0.5, 1e-300)
            for name in expected}
    at = max(each, key=lambda name: float("inf") if each[name] != each[name] else each[name])
    total = sum(number**2 for number in differences.values()) ** 0.5 / max(size, 1e-300)
    return {"total": total, "worst": each[at], "at": at}


def tensors_of(outputs):
    if isinstance(outputs, torch.Tensor):
        return {"0": outputs}
    items = outputs.items() if isinstance(outputs, dict) else enumerate(outputs)
    return {f"{key}.{name}": tensor for key, item in items for name, tensor in tensors_of(item).items()}


def copied(args, change=lambda value: value):
    return {name: change(value.clone()) if isinstance(value, torch.Tensor) else value for name, value in args.items()}


def compare(step, **args):
    """Errors of a step from its start against float64: {"outputs"} of inference; {"loss", "gradients", "updates"} of
    training, each as errors() gives it. `updates` is what the optimizer added to the weights. The step is reset
    afterwards, and the arguments stay as they were."""
    reference = reference_of(step)
    step.reset()
    results = []
    for one, given in ((step, args if step.transfer else copied(args)), (reference, copied(step.on_device(args), float64))):
        before = {name: weight.detach().clone() for name, weight in one.weights().items()} if one.optimizer else {}
        returned = one(**given)
        if one.optimizer is None:
            results.append({"outputs": tensors_of(returned)})
            continue
        updates = {name: weight.detach() - before[name] for name, weight in one.weights().items()}
        results.append({"loss": {"loss": returned}, "gradients": one.gradients(), "updates": updates})
    found = {what: errors(results[0][what], results[1][what]) for what in results[0]}
    step.reset()
    return found
