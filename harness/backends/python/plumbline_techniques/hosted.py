"""A step as plumbline-worker measures it: the same launch again and again, checked against float64 before."""

import functools
import gc
import time

import torch

from .compared import BOUNDS, QUANTIZED_BOUNDS, copied, float64, reference_of
from .flops import model_flops
from .settings import Settings
from .slopes import compared_gradients
from .step import PHASES, Step, built, names_of

SEED = 1  # of the weights, which belong to the problem
FLOAT64_BOUND = 1e-10
# The learning rate of timed steps, which must change no weight. Optimizers in a CUDA graph divide by it (AdamW with
# `capturable`): 0 would make NaN of weights without a gradient.
NO_RATE, NO_RATE_IN_GRAPH = 0.0, 1e-30
NEVER = 2**31 - 1  # steps after which the scale of float16's loss grows: all timed steps have the same


class WrongResult(Exception):
    """The step computes something else than it should."""


def bound_of(settings, dtype):
    """The relative error that a right step stays below."""
    if settings.quantize != "none":
        return QUANTIZED_BOUNDS[settings.quantize]
    computed = BOUNDS[settings.precision]
    return max(computed, BOUNDS[dtype]) if dtype != "float64" else FLOAT64_BOUND


def flat(tensors):
    return torch.cat([tensor.detach().reshape(-1) for tensor in tensors]) if tensors else torch.empty(0)


class Phases:
    """Seconds of each phase of steps: by events on a GPU, by the host's clock elsewhere."""

    def __init__(self, device):
        self.is_cuda = device.type == "cuda"
        self.marks = []

    def now(self):
        if not self.is_cuda:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def begin(self):
        self.marks.append([("", self.now())])

    def mark(self, phase):
        self.marks[-1].append((phase, self.now()))

    def seconds(self, before, after):
        return before.elapsed_time(after) / 1e3 if self.is_cuda else after - before

    def by_phase(self):
        """{phase: [seconds in each step]}: micro-batches go through a phase several times."""
        if self.is_cuda:
            torch.cuda.synchronize()
        found = {}
        for i, marks in enumerate(self.marks):
            for (_, before), (phase, after) in zip(marks, marks[1:]):
                found.setdefault(phase, [0.0] * len(self.marks))[i] += self.seconds(before, after)
        return found


class HostedStep:
    """A network's step that is called as a function: outputs of inference, loss of training.

    Timed steps have the learning rate 0: the optimizer does all its work, and each step computes the same.
    """

    def __init__(self, factory, arguments, loss, settings, dtype, device):
        settings = Settings.of(settings)
        self.factory, self.arguments, self.settings = factory, arguments, settings
        self.dtype, self.device, self.loss = getattr(torch, dtype), torch.device(device), loss
        self.is_training = settings.trains
        self.keeps_values = settings.transfer != "none"  # of arguments: they are copied when they are taken
        self.mine = None  # arguments on the host, from where each step copies them
        self.phases = None  # while they are watched
        self.only_for_loss = names_of(loss)[1:] if loss and not settings.trains else ()
        self.views_images = settings.memory_format == "channels_last"
        self.bound = bound_of(settings, dtype)
        self.key = factory, loss, repr(arguments), repr(settings), dtype, device
        if HostedStep.exact_of != self.key:
            self.step  # what cannot be built is told now

    exact_of = exact = None  # the last float64 step, and which network's: a case is opened again for further references

    @functools.cached_property
    def step(self):
        module = built(self.factory, self.arguments, SEED, self.device).to(self.dtype)
        step = Step(module, self.settings, loss=self.loss if self.is_training else None)
        if step.scale:
            step.scale.scaler.set_growth_interval(NEVER)
            step.start["scale"] = step.scale.saved()
        return step

    def close(self):
        """Frees the float64 step. A case that was opened for a further reference leaves it to the one that is timed."""
        if "step" in self.__dict__:
            HostedStep.exact = HostedStep.exact_of = None
            del self.step
            gc.collect()  # optimizer and loss scale are a cycle, which would keep the weights

    def seen(self, args):
        """What the step takes. Images are in the order of its memory format: another view of the same random numbers."""
        args = {name: value for name, value in args.items() if name not in self.only_for_loss}
        if not self.views_images:
            return args

        def as_seen(value):
            if not isinstance(value, torch.Tensor) or value.dim() != 4:
                return value
            n, channels, height, width = value.shape
            return value.view(n, height, width, channels).permute(0, 3, 1, 2)

        return {name: as_seen(value) for name, value in args.items()}

    def laid(self, args, before=None):
        """What a step takes, in the memory where it begins. `before`: a former result, whose memory is used again."""
        seen = self.seen(args)
        return self.step.transfer.laid(seen, before) if self.step.transfer else seen

    def take_arguments(self, arguments, written):
        """With `transfer`, copies them to the host: outside of what is timed."""
        if self.settings.graph:
            self.step.written = tuple(name for name in written if name in self.seen(arguments))
        if not self.keeps_values:
            return
        if written:
            raise NotImplementedError(f"transfer: a step changes {written[0]}, which stays on the device")
        self.mine = self.laid(arguments, self.mine)

    def release(self, arguments):
        """The worker will use the memory of these arguments for others."""
        step = self.__dict__.get("step")
        if step is not None and step.written:
            step.captured = None

    def reasons(self):
        """Within it, what torch cannot do is told as NotImplementedError."""
        return self.step.reasons()

    def __call__(self, **args):
        if self.phases:
            self.phases.begin()
        return self.step(**(self.mine if self.keeps_values else self.seen(args)))

    def results(self, returned):
        """What is compared: outputs, or loss and all gradients."""
        if not self.is_training:
            return returned
        return [returned, flat(self.step.gradients().values())]

    def in_float64(self):
        if HostedStep.exact_of != self.key:
            HostedStep.exact = HostedStep.exact_of = None  # frees its memory before the next is made
            HostedStep.exact, HostedStep.exact_of = reference_of(self.step), self.key
        return HostedStep.exact

    def reference(self, **args):
        """The same results in float64, from arguments in float64."""
        exact = self.in_float64()
        exact.reset()
        returned = exact(**self.seen(args))
        return [returned, flat(exact.gradients().values())] if self.is_training else returned

    def rehearse(self, **args):
        """Asks each technique for evidence, and compares gradients with the loss. Returns the evidence as text.

        WrongResult names a weight with a wrong gradient. NotImplementedError: a technique was not active.
        """
        laid = self.laid(args, self.mine)
        self.step.reset()
        evidence = self.step.report(**laid)
        if self.is_training:
            evidence["gradients"] = self.checked_gradients(self.seen(args))
        for group in self.step.optimizer.param_groups if self.is_training else ():
            group["lr"] = NO_RATE_IN_GRAPH if self.settings.graph else NO_RATE
        self.step.captured = None  # a graph that was captured has the former learning rate
        self.step(**(laid if self.step.transfer else copied(laid)))  # a graph keeps the memory that it was captured with
        return {name: str(found) for name, found in evidence.items()}

    def checked_gradients(self, args):
        """{"compared": weights whose gradient fits to the loss, "undecided": names of those that cannot be compared}"""
        exact = {name: float64(value) for name, value in args.items()}
        found = compared_gradients(self.in_float64(), exact)
        if found.wrong:
            raise WrongResult(f"the gradient of '{found.wrong[0]}' does not fit to the loss: along it, the loss changes "
                              f"by {found.wrong[1]:.3g} of what the gradient says (in float64)")
        return {"compared": found.compared, "undecided": found.undecided}

    def flops(self, args):
        """Operations of the products that a step needs (flops.py); None if unknown. Of a 2:4 weight, nobody says whether
        its zeros count."""
        return None if self.settings.prune == "2:4" else self.flops_of(self.step.plain, args)

    def flops_of(self, network, args):
        args = self.seen(args)
        return model_flops(network, self.loss if self.is_training else None, self.step.of_forward(args), self.step.of_loss(args))

    def flags(self):
        """Doubts about the times of the steps so far."""
        return []

    def has_phases(self):
        """A CUDA graph has none, and inference has one alone unless it copies its arguments."""
        return (self.is_training or self.settings.transfer != "none") and not self.settings.graph

    def may_be_held(self):
        """Whether steps may wait on the device until all are enqueued. A copy of pageable memory waits for the device, and
        so may an allocator that returns memory to the driver."""
        settings = self.settings
        return settings.ranks == 1 and settings.transfer != "pageable" and settings.allocator == "arena"

    def watch_phases(self):
        """From now on, calls note the time of their phases."""
        self.phases = Phases(self.device)
        self.step.mark = self.phases.mark

    def watched_phases(self):
        """{phase: [seconds in each call since watch_phases()]}, and ends that."""
        found, self.phases = self.phases.by_phase(), None
        self.step.mark = lambda phase: None
        return {phase: seconds for phase, seconds in found.items() if phase in PHASES}
