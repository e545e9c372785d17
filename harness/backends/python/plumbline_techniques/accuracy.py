"""What a network learns with a technique: a short training, then the share of held-out targets that it gets right.

Knows no data. A suite's source gives the task, a function without arguments that returns a dict:

    training, held_out   tensors by name, a row each: inputs of the network's forward() and arguments of the loss
    steps, batch         of the training; rows of a step are drawn anew for each step
    learning_rate        a number, or one for each optimizer: {"sgd": 0.05, "adamw": 0.002}
    right                a function of the outputs and, by their names, of what the loss takes. It returns a tensor of
                         booleans, a row for each row of the outputs.
"""

import contextlib
import dataclasses
import functools
import math
import typing

import torch

from .settings import Settings
from .step import Step, built, names_of

OF_INFERENCE = ("precision", "memory_format", "compile", "graph", "sdpa")  # what both training and use have
TOLD = 10  # the loss of every tenth step is told


@dataclasses.dataclass(frozen=True)
class Task:
    training: dict
    held_out: dict
    steps: int
    batch: int
    learning_rate: typing.Union[float, dict]
    right: typing.Callable

    @classmethod
    def of(cls, made, function):
        """From what the source's `function` returned. ValueError if that is no task."""
        names = [field.name for field in dataclasses.fields(cls)]
        if not isinstance(made, dict) or set(made) != set(names):
            found = ", ".join(map(str, made)) if isinstance(made, dict) else f"a {type(made).__name__}"
            raise ValueError(f"accuracy: {function}() returned {found}; allowed: a dict of {', '.join(names)}")
        task = cls(**made)
        rows = [task.rows(part) for part in ("training", "held_out")]
        if type(task.batch) is not int or not 1 <= task.batch <= min(rows):
            raise ValueError(f"accuracy: {function}() gives the batch {task.batch!r}; allowed: 1 to {min(rows)} rows")
        if type(task.steps) is not int or task.steps < 2:
            raise ValueError(f"accuracy: {function}() gives {task.steps!r} steps; allowed: 2 or more")
        return task

    def rows(self, part):
        counts = {name: len(value) for name, value in getattr(self, part).items()}
        if not counts or len(set(counts.values())) != 1:
            raise ValueError(f"accuracy: the tensors of '{part}' have these numbers of rows: {counts}; allowed: the same")
        return next(iter(counts.values()))

    def rate(self, optimizer):
        if not isinstance(self.learning_rate, dict):
            return self.learning_rate
        if optimizer not in self.learning_rate:
            raise NotImplementedError(f"accuracy: the task has no learning rate for {optimizer}, only for "
                                      f"{', '.join(self.learning_rate)}")
        return self.learning_rate[optimizer]


def split(technique):
    """(settings of the first half of training, of the second half, of use) as dicts.

    Channels are removed and weights are clustered in a trained network, which is then trained on (Han et al., "Learning
    both Weights and Connections for Efficient Neural Networks", 2015). Quantised and 2:4 weights are not trained.
    """
    training = {name: value for name, value in technique.items()
                if name not in ("quantize", "transfer") and (name, value) != ("prune", "2:4")}  # fmt: skip
    late = {("prune", "structured"), ("share", "clustered")}
    first = {name: value for name, value in training.items() if (name, value) not in late}
    # The second half changes the network that the first half made: tied blocks are tied already.
    second = {name: value for name, value in training.items() if (name, value) != ("share", "tied")}
    use = {name: value for name, value in technique.items()
           if name in OF_INFERENCE or name == "quantize" or (name, value) == ("prune", "2:4")}
    return first, second, use


@contextlib.contextmanager
def seeded(seed, device):
    """Draws from `seed` and gives back torch's own generators. One thread on a CPU, because the order in which several
    threads add is not fixed."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        if device.type == "cpu":
            torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@functools.cache
def task_of(function):
    """The Task that a source's function gives. Its data are read once."""
    return Task.of(function(), function.__name__)


@dataclasses.dataclass(frozen=True)
class Learner:
    """A network that can be trained anew from any seed, with the techniques of `settings` (a dict for Settings)."""

    factory: typing.Callable
    arguments: dict
    loss: typing.Callable
    settings: dict
    dtype: str
    device: str

    def learned(self, task, seed):
        """{"accuracy": share of the held-out targets, "losses": of every tenth step, [] if one is not finite,
        "evidence": that the techniques were active}

        The seed draws the first weights, the order of the rows and all that the network draws itself. NotImplementedError
        if a technique cannot be used.
        """
        if self.settings.get("ranks", 1) > 1:
            raise NotImplementedError("accuracy: ranks: a training of several processes is not compared over seeds")
        device = torch.device(self.device)
        with seeded(seed, device):
            module = built(self.factory, self.arguments, seed, device).to(getattr(torch, self.dtype))
            generator = torch.Generator().manual_seed(seed)
            rows = task.rows("training")
            batches = [torch.randperm(rows, generator=generator)[: task.batch] for _ in range(task.steps)]
            first, second, use = split(self.settings)
            losses, evidence = [], {}
            half = task.steps if first == second else task.steps // 2
            for technique, part in ((first, batches[:half]), (second, batches[half:])):
                if part:
                    found = self.train(module, technique, task, part)
                    losses, evidence = losses + found[0], {**evidence, **found[1]}
            accuracy, of_use = self.share_right(module, use, task)
        losses = losses[TOLD - 1 :: TOLD] if all(map(math.isfinite, losses)) else []
        return {"accuracy": accuracy, "losses": losses, "evidence": {"training": evidence, "inference": of_use}}

    def taken(self, data, rows):
        """Those rows, on the device, numbers in the network's dtype."""
        dtype = getattr(torch, self.dtype)
        taken = {name: value[rows].to(self.device) for name, value in data.items()}
        return {name: value.to(dtype) if value.is_floating_point() else value for name, value in taken.items()}

    def train(self, module, technique, task, batches):
        """Trains in place. -> (losses of the steps, evidence of Step.report)"""
        optimizer = technique.get("optimizer", Settings.optimizer)
        settings = Settings.of({**technique, "step": "training", "learning_rate": task.rate(optimizer)})
        step = Step(module, settings, loss=self.loss)
        evidence = step.report(**step.prepared(**self.taken(task.training, batches[0])))
        return [float(step(**step.prepared(**self.taken(task.training, batch)))) for batch in batches], evidence

    def share_right(self, module, technique, task):
        """The share of held-out targets that are right, and the evidence of inference. All batches have the same size,
        because a compiled or captured step has one: the last one begins again with the first rows, which do not count."""
        step = Step(module, Settings.of({**technique, "step": "inference"}))
        inputs, targets = names_of(module.forward), names_of(self.loss)[1:]
        rows, counted, total, evidence = task.rows("held_out"), 0, 0, None
        for begin in range(0, rows, task.batch):
            args = self.taken(task.held_out, torch.arange(begin, begin + task.batch) % rows)
            given = step.prepared(**{name: value for name, value in args.items() if name in inputs})
            evidence = evidence or step.report(**given)
            right = task.right(step(**given), **{name: value for name, value in args.items() if name in targets})
            right = right[: rows - begin]
            counted, total = counted + int(right.sum()), total + right.numel()
        return counted / total, evidence
