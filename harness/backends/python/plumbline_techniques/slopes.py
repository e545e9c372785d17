"""Gradients of a network compared with differences of its loss, in float64: is the backward pass that of the forward?

A float64 step shares the network's own backward code, so that it shares its mistakes. Differences do not.
"""

import dataclasses
import math

import torch

# Changes of a weight tensor, relative to its size. Between the ends of a long one the loss may bend, as where a ReLU
# begins; for a short one rounding decides. So two of them must agree.
RELATIVE_STEPS = (1e-5, 1e-6, 1e-7, 1e-8)
LARGEST_ERROR = 1e-2  # of the slope along one tensor's gradient
SMALLEST = 1e-6  # tensors whose share of the largest slope is below it are left out: rounding decides there


@dataclasses.dataclass
class Findings:
    """`wrong`: (name of a weight whose gradient does not fit to the loss, ratio of both slopes), or None.
    `undecided`: weights for which differences of several lengths disagree. `compared`: how many others fit."""

    wrong: tuple = None
    undecided: list = dataclasses.field(default_factory=list)
    compared: int = 0


class Differences:
    """Slopes of the loss of a float64 training step, which is reset.

    Along a direction v = g / |g|^2 of one tensor's gradient g, the loss rises by 1 if g is right.
    """

    def __init__(self, step, args):
        self.step, self.args = step, args
        step.reset()
        step(**args)
        self.gradients = {name: gradient.clone() for name, gradient in step.gradients().items()}
        step.reset()
        sizes = {name: float(weight.detach().norm()) or math.sqrt(weight.numel()) for name, weight in step.weights().items()}
        self.slopes = {name: sizes[name] * float(gradient.norm()) for name, gradient in self.gradients.items()}

    def along(self, names, relative_step):
        """Central difference of the loss along the sum of the directions of `names`."""
        length = relative_step * min(self.slopes[name] for name in names)
        losses = []
        for sign in (1, -1):
            self.step.reset()
            weights = self.step.weights()
            with torch.no_grad():
                for name in names:
                    gradient = self.gradients[name]
                    weights[name].add_(gradient, alpha=sign * length / float(gradient.square().sum()))
            losses.append(float(self.step.loss_of(**self.args)))
        return (losses[0] - losses[1]) / (2 * length)

    def slope(self, names):
        """What two lengths agree on; None if none do."""
        before = None
        for relative_step in RELATIVE_STEPS:
            slope = self.along(names, relative_step)
            if before is not None and abs(slope - before) <= LARGEST_ERROR:
                return slope
            before = slope
        return None

    def compare(self, names, findings):
        """Halves `names` until the wrong one is found."""
        if not names or findings.wrong:
            return
        slope = self.slope(names)
        if slope is not None and abs(slope - len(names)) <= LARGEST_ERROR:
            findings.compared += len(names)
        elif len(names) > 1:
            half = len(names) // 2
            self.compare(names[:half], findings)
            self.compare(names[half:], findings)
        elif slope is None:
            findings.undecided.append(names[0])
        else:
            findings.wrong = names[0], slope


def compared_gradients(step, args):
    """Findings about a training step in float64, which is reset. Tensors of alike slopes are moved together."""
    differences, findings = Differences(step, args), Findings()
    slopes = differences.slopes
    largest = max(slopes.values(), default=0.0)
    for decade in range(math.ceil(-math.log10(SMALLEST))):
        differences.compare([name for name, slope in slopes.items()
                             if largest * 10.0 ** -(decade + 1) < slope <= largest * 10.0**-decade], findings)  # fmt: skip
    step.reset()
    return findings
