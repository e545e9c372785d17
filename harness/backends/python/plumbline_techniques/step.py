"""A step of a network: inference, or training in phases."""

import contextlib
import copy
import inspect
import math

import torch

from . import allocators, execution, optimizers, precision, pruning, quantization, sharing, transfer
from .micro_batches import micro_batches
from .observed import Observed, weights_of

PHASES = ("data", "forward", "loss", "backward", "scale_and_clip", "optimizer")
SCALES = 40  # halvings of the first scale that a step is given to find one without overflow


def built(factory, arguments, seed, device):
    """The network that a factory makes, with weights drawn from `seed`, on a device. Draws nothing from torch's own
    generators."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        module = factory(**arguments)
    if not isinstance(module, torch.nn.Module):
        raise TypeError(f"{factory.__name__}() returned a {type(module).__name__}; a factory returns a torch.nn.Module")
    return module.to(device)


def names_of(function):
    return tuple(inspect.signature(function).parameters)


class Step:
    """Applies settings to a network, and computes one step at each call.

    `module` is changed: the step owns it. `loss(outputs, **rest)` gives one number. Arguments go by name: those of
    module.forward to the module, the rest to the loss. `mark(phase)` is called when a phase ends (PHASES; "data" only with
    `transfer`; neither loss nor what follows for inference; "step" if a CUDA graph runs the whole step). With micro-batches
    forward, loss and backward come again.
    Batch norm sees micro-batches, so that it differs from the full batch.

    NotImplementedError: a technique cannot be used on this device or for this network; the message says why.
    """

    written = ()  # names of arguments that a step changes

    def __init__(self, module, settings, loss=None, mark=None):
        if settings.trains and loss is None:
            raise ValueError("step: training needs a loss; the source defines loss(outputs, labels)")
        self.settings, self.loss_function = settings, loss
        self.mark = mark or (lambda phase: None)
        self.network = module.train(settings.trains)
        self.device = next(module.parameters()).device
        self.inputs = names_of(module.forward)
        self.targets = names_of(loss)[1:] if loss else ()
        self.changes = {}  # evidence of the techniques that change the network
        precision.check(settings.precision, self.device)
        if settings.graph:
            execution.check_graph(self.device)
        if settings.allocator != "arena":
            allocators.check(settings.allocator, self.device)
        self.transfer = None
        if settings.transfer != "none":
            self.transfer = transfer.Transfer(settings.transfer, transfer.link_of(self.device, settings.transfer))
        self.change_function()
        # What a float64 step computes. That of several ranks is another network, which one process computes.
        self.plain = copy.deepcopy(self.network).cpu() if settings.ranks == 1 else None
        self.change_execution()
        self.optimizer = self.scale = self.captured = None
        if settings.trains:
            self.optimizer = optimizers.optimizer_of(self.network.parameters(), settings)
            if settings.precision == "float16":
                self.scale = precision.LossScale(self.optimizer, self.device, settings.scale)
        self.start = self.saved()

    def change_function(self):
        """What makes another network of it: the float64 step computes the changed one."""
        if self.settings.prune == "structured":
            self.changes["prune"] = pruning.remove_channels(self.network, self.settings.fraction)
        elif self.settings.prune == "2:4":
            pruning.zero_two_of_four(self.network)
        if self.settings.share == "tied":
            self.changes["share"] = sharing.tie_blocks(self.network)
        elif self.settings.share == "clustered":
            self.changes["share"] = sharing.cluster_layers(self.network, self.settings.clusters)

    def change_execution(self):
        """What computes the same network otherwise, with other roundings."""
        settings = self.settings
        if settings.prune == "2:4":
            self.changes["prune"] = pruning.compress(self.network, settings.precision, self.device)
        if settings.quantize != "none":
            self.changes["quantize"] = quantization.quantized(self.network, settings.quantize, self.device)
        if settings.memory_format == "channels_last":
            execution.channels_last(self.network)
        self.blocks = []
        if settings.checkpoint:
            if settings.graph and self.has_dropout():
                raise NotImplementedError("graph: checkpoints of a network with dropout read the generator, which a CUDA "
                                          "graph cannot")  # fmt: skip
            self.blocks = execution.checkpoint_blocks(self.network, self.has_dropout())
        self.shared = execution.averaging(self.network, settings.bucket_mb) if settings.averages else None
        module = self.network if self.shared is None else self.shared
        self.module = torch.compile(module, dynamic=False) if settings.compile else module

    # One step.

    def prepared(self, **args):
        """The arguments in the memory format of the step, and in the memory where it begins. Do it once, outside what is
        timed."""
        if self.settings.memory_format == "channels_last":
            args = {name: execution.as_channels_last(value) for name, value in args.items()}
        return self.transfer.laid(args) if self.transfer else args

    def __call__(self, **args):
        """The loss of a training step (a number on the device, without gradients), or the outputs of the network."""
        self.refuse_unknown(args)
        with self.context():
            if not self.settings.graph:
                return self.run(**args)
            if self.captured is None or self.captured.is_elsewhere(args):
                self.captured = None  # frees its memory
                self.captured = self.capture(args)
            result = self.captured(**args)
            self.mark("step")
            return result

    def refuse_unknown(self, args):
        unknown = [name for name in args if name not in self.inputs and name not in self.targets]
        if unknown:
            raise ValueError(f"found the argument '{unknown[0]}'; allowed: {', '.join((*self.inputs, *self.targets))}")

    @contextlib.contextmanager
    def context(self):
        """What the whole step needs, the backward pass included, because checkpoints compute there."""
        with precision.matmul_precision(self.settings.precision), execution.attention_kernels(self.settings.sdpa):
            yield

    def on_device(self, args):
        """With `transfer`, a step begins with these copies."""
        if self.transfer is None:
            return args
        args = self.transfer.copied(args)
        self.mark("data")
        return args

    def run(self, **args):
        args = self.on_device(args)
        if not self.settings.trains:
            with torch.no_grad():
                outputs = self.forward(**self.of_forward(args))
            self.mark("forward")
            return outputs
        self.optimizer.zero_grad(set_to_none=True)
        if self.scale:
            self.scale.forget_failed_step()
        total, parts = 0.0, self.parts(args)
        for part in parts:
            with contextlib.nullcontext() if self.shared is None or part is parts[-1] else self.shared.no_sync():
                outputs = self.forward(**self.of_forward(part))
                self.mark("forward")
                loss = self.loss(outputs, **self.of_loss(part))
                self.mark("loss")
                self.backward(loss)
                self.mark("backward")
            total = total + loss.detach()
        self.scale_and_clip()
        self.mark("scale_and_clip")
        self.optimize()
        self.mark("optimizer")
        return total

    def loss_of(self, **args):
        """The loss of a training step, without gradients, and with the weights as they are."""
        with self.context(), torch.no_grad():
            return sum(self.loss(self.forward(**self.of_forward(part)), **self.of_loss(part)) for part in self.parts(args))

    def parts(self, args):
        return micro_batches(args, self.first_of(args), self.settings.accumulate)

    def first_of(self, args):
        """The name of the argument whose rows are the batch."""
        first = next((name for name in self.inputs if name in args), None)
        if first is None:
            raise ValueError(f"found no argument of forward(), which takes {', '.join(self.inputs)}; found {', '.join(args)}")
        return first

    def of_loss(self, args):
        return {name: args[name] for name in self.targets if name in args}

    def of_forward(self, args):
        return {name: value for name, value in args.items() if name in self.inputs}

    def forward(self, **inputs):
        with precision.autocast(self.settings.precision, self.device):
            return self.module(**inputs)

    def loss(self, outputs, **targets):
        """Its mean over the micro-batches is the loss of the step, so that gradients add up to those of the batch."""
        with precision.autocast(self.settings.precision, self.device):
            return self.loss_function(outputs, **targets) / self.settings.accumulate

    def backward(self, loss):
        (self.scale.scaler.scale(loss) if self.scale else loss).backward()

    def scale_and_clip(self):
        """Afterwards gradients are those of the loss: without its scale, with a norm of at most max_norm."""
        if self.scale:
            self.scale.scaler.unscale_(self.optimizer)
        if self.settings.max_norm is not None:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.max_norm,
                                           foreach=self.settings.update != "plain")

    def optimize(self):
        if self.scale:
            self.scale.step()
        else:
            self.optimizer.step()

    def capture(self, args):
        mark, self.mark = self.mark, lambda phase: None  # within a graph there are no phases
        before, written = self.saved(), {name: args[name].clone() for name in self.written}

        def restore():
            self.restore(before)
            for name, value in written.items():
                args[name].copy_(value)
            if self.optimizer:
                self.optimizer.zero_grad(set_to_none=True)  # so that the graph has its own gradients

        try:
            return execution.Captured(self.run, args, restore, self.written)
        finally:
            self.mark = mark

    # State.

    def tensors(self):
        """{name: tensor} of all that a training step changes."""
        found = {("weight", name): tensor for name, tensor in self.network.named_parameters()}
        found.update({("buffer", name): tensor for name, tensor in self.network.named_buffers()})
        found.update({("optimizer", *key): tensor for key, tensor in optimizers.state_tensors(self.optimizer).items()})
        return found

    def saved(self):
        """A copy of weights, buffers, the optimizer's state, the scale of the loss and, with dropout, the generators."""
        if not self.settings.trains:
            return {}
        state = {"tensors": {name: tensor.detach().clone() for name, tensor in self.tensors().items()}}
        if self.scale:
            state["scale"] = self.scale.saved()
        if self.has_dropout():
            state["generators"] = (torch.get_rng_state(),
                                   torch.cuda.get_rng_state(self.device) if self.device.type == "cuda" else None)
        return state

    def has_dropout(self):
        return any(isinstance(module, torch.nn.modules.dropout._DropoutNd) for module in self.network.modules())

    def restore(self, state):
        """Takes back all that changed since saved(), bit for bit and in place, because a CUDA graph reads the tensors.
        State that the optimizer did not have then is set to zero, which is how SGD and AdamW begin."""
        if not self.settings.trains:
            return
        with torch.no_grad():
            for name, tensor in self.tensors().items():
                if name in state["tensors"]:
                    tensor.copy_(state["tensors"][name])
                else:
                    tensor.zero_()
        if self.scale:
            self.scale.restore(state["scale"])
        if "generators" in state:
            torch.set_rng_state(state["generators"][0])
            if self.device.type == "cuda":
                torch.cuda.set_rng_state(state["generators"][1], self.device)

    def reset(self):
        """Back to the state in which the step was made."""
        self.restore(self.start)

    def weights(self):
        """{name: parameter}"""
        return dict(self.network.named_parameters())

    def type_of_weights(self):
        """Quantised layers have others besides."""
        return next((weight.dtype for weight in self.network.parameters() if weight.is_floating_point()), torch.float32)

    def gradients(self):
        """{name: gradient of the last step, without the scale of the loss}"""
        return {name: weight.grad for name, weight in self.network.named_parameters() if weight.grad is not None}

    # Evidence.

    def report(self, **args):
        """{technique: evidence} for all techniques that are not at their default, for precision, and the `weights`.

        Runs the step some times, compiles and captures it, and leaves its state as it was: call it before anything
        is timed. NotImplementedError with the reason if a technique was asked for and is not active.
        """
        settings, before = self.settings, self.saved()
        mark, self.mark = self.mark, lambda phase: None
        try:
            with self.context(), self.reasons():
                if self.scale:
                    before = self.settled(args)
                    self.start["scale"] = before["scale"]
                with self.transfer.watched() if self.transfer else contextlib.nullcontext() as copies:
                    observed, of_optimizer = self.observed(args)
                there = self.on_device(args)
                found = {"precision": precision.evidence(settings.precision, self.device, observed,
                                                         settings.quantize != "none", self.type_of_weights()),
                         **self.changes}  # fmt: skip
                if self.transfer:
                    found["transfer"] = self.transfer.evidence(copies)
                if settings.allocator != "arena":
                    found["allocator"] = allocators.evidence(settings.allocator, allocators.in_use())
                if settings.trains:
                    found["update"] = optimizers.evidence(settings, of_optimizer)
                if settings.memory_format == "channels_last":
                    found["memory_format"] = execution.memory_format_evidence(observed)
                if settings.sdpa != "auto":
                    found["sdpa"] = execution.attention_evidence(settings.sdpa, observed)
                if settings.checkpoint:
                    found["checkpoint"] = self.checkpoint_evidence(there)
                if settings.compile:
                    with precision.autocast(settings.precision, self.device), torch.set_grad_enabled(settings.trains):
                        found["compile"] = execution.compile_evidence(self.network, self.of_forward(there))
                del there
            if settings.accumulate > 1:
                found["accumulate"] = {"micro_batches": settings.accumulate}
            if settings.compile or settings.graph:
                self(**args)
                found.update({"graph": {"captured": True}} if settings.graph else {})
            if self.scale:
                found["precision"].update(self.scale.record(), skipped_steps=self.halvings())
        finally:
            self.restore(before)
            self.mark = mark
        found["weights"] = weights_of(self.network)
        return found

    @contextlib.contextmanager
    def reasons(self):
        """Turns torch's errors about operators that it does not have into NotImplementedError."""
        try:
            yield
        except RuntimeError as error:
            # No such attention for this device and these types: the words of the CPU, and of CUDA.
            if any(words in str(error) for words in ("No viable backend", "No available kernel")):
                raise NotImplementedError(f"sdpa: {self.settings.sdpa}: {error}") from error
            if "could not create a primitive" in str(error):  # oneDNN has no such operator for this type
                raise NotImplementedError(f"precision: {self.settings.precision}: {error}") from error
            raise

    def observed(self, args):
        """What runs in a step that is neither compiled nor captured: the same operators, seen one by one. -> (all of
        the step, operators of the phase `optimizer`)"""
        observed, until = Observed(), {}
        mark, self.mark = self.mark, lambda phase: until.update({phase: observed.operators.copy()})
        try:
            with observed, self.alone():
                self.run(**args)
        finally:
            self.mark = mark
        return observed, observed.operators - until.get("scale_and_clip", observed.operators)

    @contextlib.contextmanager
    def alone(self):
        """Meanwhile the network is neither compiled nor are its gradients averaged over ranks."""
        module, shared, self.module, self.shared = self.module, self.shared, self.network, None
        try:
            yield
        finally:
            self.module, self.shared = module, shared

    def halvings(self):
        """Steps that were skipped until the scale of the loss fitted."""
        return round(math.log2(self.settings.scale / self.scale.record()["scale"]))

    def settled(self, args):
        """The start of the step with a scale of the loss that does not overflow, which training finds in its first
        steps: a skipped step is not the one to be timed."""
        state = self.saved()
        for _ in range(SCALES):
            self.run(**args)
            record = self.scale.record()
            self.restore(state)
            if not record["skipped_steps"]:
                return state
            self.scale.scaler.load_state_dict({**self.scale.scaler.state_dict(), "scale": record["scale"]})
            state = self.saved()
        raise NotImplementedError(f"precision: float16: gradients overflow with the scale {record['scale']} of the loss")

    def checkpoint_evidence(self, args):
        with self.alone():
            without = [*self.network.parameters(), *(value for value in args.values() if isinstance(value, torch.Tensor))]
            return execution.checkpoint_evidence(self.blocks, lambda: self.forward(**self.of_forward(args)), without)
