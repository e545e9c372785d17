"""Gradients of a network compared with differences of its loss, in float64: is the backward pass that of the forward?

A float64 step shares the network's own backward code, so that it shares its mistakes. Differences do not.
"""

import math

import torch

RELATIVE_STEP = 1e-5  # change of a weight tensor, relative to its size
LARGEST_ERROR = 1e-2  # of the slope along one tensor's gradient
SMALLEST = 1e-6  # tensors whose share of the largest slope is below it are left out: rounding decides there


def wrong_gradient(step, args):
    """The name of a weight whose gradient does not fit to the loss, and the ratio of both slopes; None if all fit.

    `step`: a training step in float64, which is reset. Along a direction v = g / |g|^2 of one tensor's gradient g, the
    loss rises by 1 if g is right. Tensors of alike slopes are moved together, and halved until one is found.
    """
    step.reset()
    step(**args)
    gradients = {name: gradient.clone() for name, gradient in step.gradients().items()}
    step.reset()
    sizes = {name: float(weight.norm()) or math.sqrt(weight.numel()) for name, weight in step.weights().items()}
    slopes = {name: sizes[name] * float(gradient.norm()) for name, gradient in gradients.items()}
    largest = max(slopes.values(), default=0.0)
    for decade in range(math.ceil(-math.log10(SMALLEST))):
        names = [name for name, slope in slopes.items()
                 if largest * 10.0 ** -(decade + 1) < slope <= largest * 10.0**-decade]  # fmt: skip
        found = odd_one(step, args, gradients, slopes, names)
        if found:
            return found
    step.reset()
    return None


def odd_one(step, args, gradients, slopes, names):
    """(name, slope of the loss along its direction, 1 if it is right) of a tensor among `names`, or None."""
    if not names:
        return None
    slope = slope_along(step, args, gradients, slopes, names)
    if abs(slope - len(names)) <= LARGEST_ERROR:
        return None
    if len(names) == 1:
        return names[0], slope
    half = len(names) // 2
    return (odd_one(step, args, gradients, slopes, names[:half])
            or odd_one(step, args, gradients, slopes, names[half:]))


def slope_along(step, args, gradients, slopes, names):
    """Central difference of the loss along the sum of the directions of `names`."""
    length = RELATIVE_STEP * min(slopes[name] for name in names)
    losses = []
    for sign in (1, -1):
        step.reset()
        weights = step.weights()
        with torch.no_grad():
            for name in names:
                gradient = gradients[name]
                weights[name].add_(gradient, alpha=sign * length / float(gradient.square().sum()))
        losses.append(float(step.loss_of(**args)))
    return (losses[0] - losses[1]) / (2 * length)
