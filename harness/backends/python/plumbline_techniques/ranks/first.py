"""A step that several processes compute, as plumbline-worker measures it. This one is rank 0."""

import contextlib
import dataclasses
import functools
import gc
import sys

import torch

from . import lateness, switches
from ..compared import reference_of
from .group import Group, alone, digest
from ..hosted import SEED, HostedStep, WrongResult, flat
from .rank import Rank, bucket_bytes, described, parts_of
from .team import Team, processors_of
from ..settings import BUCKET_MB
from ..step import Step, built

WATCHED = 20  # steps that tell which rank is late


def device_of(device, rank, ranks):
    """The devices after that of rank 0 are those of the others. They share a CPU."""
    if device.type != "cuda":
        return device
    first, count = torch.cuda.current_device() if device.index is None else device.index, torch.cuda.device_count()
    if first + ranks > count:
        raise NotImplementedError(f"ranks: {ranks} ranks need as many GPUs; rank 0 has number {first} of the {count} that "
                                  "the worker sees")  # fmt: skip
    return torch.device("cuda", first + rank)


class RankedStep(Rank):
    """HostedStep of rank 0, which tells the others what to do. `names`: where they find the functions: source, function
    and loss. `processors`: of this process, before torch bound its threads to some."""

    # Of the step that HostedStep.exact is of: weights that rank 0 has whole, and those that are split over ranks.
    whole_weights = split_weights = ()

    def __init__(self, names, processors, factory, factory_arguments, loss, settings, dtype, device):
        self.team, self.is_intact, self.processors = None, True, processors
        self.whole = self.taken = None  # the arguments of all ranks together, and what those of rank 0 were
        self.devices = [device_of(torch.device(device), rank, settings["ranks"]) for rank in range(settings["ranks"])]
        self.opening = {**names, "factory_arguments": factory_arguments, "settings": settings, "dtype": dtype}
        group = Group(0, settings["ranks"], self.devices[0])
        super().__init__(group, factory, factory_arguments, loss, settings, dtype)

    # The other ranks.

    @functools.cached_property
    def step(self):
        """Starts the others first."""
        try:
            return self.started()
        except BaseException:
            self.close()  # nobody else knows of it
            raise

    def started(self):
        self.group.open()
        others, is_cuda = range(1, self.group.ranks), self.group.device.type == "cuda"
        processors = [() if is_cuda else processors_of(self.processors, rank, self.group.ranks) for rank in others]
        self.team = Team(processors, self.group.abort)
        with self.together():
            self.team.tell({"what": "open", "ranks": self.group.ranks, "port": self.group.port,
                            "threads": torch.get_num_threads(), "path": sys.path, **self.opening},
                           rank=list(others), device=[str(self.devices[rank]) for rank in others])  # fmt: skip
            self.team.heard()
            self.team.tell({"what": "join"})
            self.group.join()
            step = HostedStep.step.func(self)
            self.sizes_of_others = [answer["sizes"] for answer in self.team.heard()]
        return step

    @contextlib.contextmanager
    def together(self):
        """What fails meanwhile leaves the others in an unknown state: they are not used again."""
        try:
            with self.team.causes():
                yield
        except BaseException:
            self.is_intact = False
            raise

    def close(self):
        if self.team is None:
            return
        super().close()
        is_intact, self.is_intact = self.is_intact and not self.team.has_failed.is_set(), False
        self.release(self.whole)
        self.__dict__.pop("step", None)
        gc.collect()  # what averages gradients is part of a cycle, and keeps the group
        if is_intact:
            self.team.tell({"what": "close"})
            self.group.leave()
            self.team.keep()
        else:
            self.team.end()
            self.group.leave(is_intact=False)
            self.team.take_back_time_limit()
        self.team = None

    # What the library asks for.

    def take_arguments(self, arguments, written):
        """Gives each rank its part of the arguments."""
        if written:
            raise NotImplementedError(f"ranks: a step changes {written[0]}, and other ranks have not this tensor")
        first = self.step.first_of(self.seen(arguments))
        parts = parts_of(arguments, first, self.settings)
        self.whole = arguments
        with self.together():
            self.team.tell({"what": "take", "settings": switches.switches()}, arguments=[described(part) for part in parts[1:]])
            for rank, part in enumerate(parts[1:], 1):
                for value in part.values():
                    if isinstance(value, torch.Tensor):
                        self.group.send(value, rank)
            self.use(parts[0])
            self.taken = self.digests()

    def release(self, arguments):
        """The worker will use the memory of these arguments for others."""
        if self.whole is arguments:
            self.whole = self.given = self.mine = None

    def digests(self):
        return {name: digest(value) for name, value in self.given.items() if isinstance(value, torch.Tensor)}

    def __call__(self, **_):
        """One step of all ranks, with the arguments that were taken."""
        with self.together():
            self.team.step()
            if self.phases:
                self.phases.begin()
            return self.one_step()

    def results(self, returned):
        with self.together():
            self.team.tell({"what": "results"})
            found, difference = self.share_results(returned)
            # The worker changes inputs in place to see whether steps are faster on known ones. Other ranks keep theirs.
            if difference and self.taken == self.digests():
                raise WrongResult(difference)
        if not self.is_training:
            return found
        if not self.is_data_parallel:
            self.in_float64()  # says which gradients there are to compare
        return self.comparable(found, self.step.gradients(), self.norms())

    def norms(self):
        """Of the gradients of split weights, over all ranks."""
        if self.is_data_parallel:
            return []
        return [sum(of_rank.get(name, 0.0) for of_rank in self.squares) ** 0.5 for name in self.split_weights]

    def rehearse(self, **_):
        """As HostedStep does, with evidence of all ranks."""
        with self.together():
            self.team.tell({"what": "rehearse"})
            evidence, difference = super().rehearse()
            self.team.heard()
            if difference:
                raise WrongResult(difference)
            evidence["ranks"] = str(self.evidence())
        return evidence

    # What all ranks together should compute.

    def comparable(self, loss, gradients, norms):
        """Loss and all gradients. Where a network communicates itself: the gradients of weights that rank 0 has whole,
        and the norms of those of weights that are split over ranks, in whatever way."""
        if self.is_data_parallel:
            return [loss, flat(gradients.values())]
        whole = [gradients[name] for name in self.whole_weights if name in gradients]
        found = [loss, *([flat(whole)] if whole else [])]
        return [*found, torch.tensor(norms, dtype=torch.float32, device=loss.device)] if norms else found

    def in_float64(self):
        """One process computes the whole batch. Its micro-batches are those of all ranks."""
        if HostedStep.exact_of != self.key:
            HostedStep.exact = HostedStep.exact_of = None
            parts = self.group.ranks if self.settings.averages else 1
            settings = dataclasses.replace(self.settings, ranks=1, parallel="data", bucket_mb=BUCKET_MB,
                                           accumulate=self.settings.accumulate * parts)  # fmt: skip
            with alone():
                module = built(self.factory, self.arguments, SEED, self.device).to(self.dtype)
                HostedStep.exact = reference_of(Step(module, settings, loss=self.loss if self.is_training else None))
            HostedStep.exact_of = self.key
        if "step" in self.__dict__:
            self.find_weights(HostedStep.exact.weights())
        return HostedStep.exact

    def find_weights(self, exact):
        own = self.step.weights()
        RankedStep.whole_weights = [name for name, weight in exact.items() if name in own and own[name].shape == weight.shape]
        sizes = [self.sizes(), *self.sizes_of_others]
        RankedStep.split_weights = [
            name for name, weight in exact.items()
            if name not in RankedStep.whole_weights and sum(of_rank.get(name, 0) for of_rank in sizes) == weight.numel()
        ]  # fmt: skip

    def reference(self, **args):
        exact = self.in_float64()
        exact.reset()
        with alone():
            returned = exact(**self.seen(args))
        if not self.is_training:
            return returned
        gradients = exact.gradients()
        norms = [float(gradients[name].norm()) if name in gradients else 0.0 for name in self.split_weights]
        return self.comparable(returned, gradients, norms)

    def checked_gradients(self, args):
        with alone():
            found = HostedStep.checked_gradients(self, self.seen(self.whole))
        if not self.is_data_parallel:
            found |= {"whole": self.whole_weights, "split, by their norm": self.split_weights}
        return found

    def flops(self, args):
        """Of one rank: times are held against the peak of one device."""
        with alone():
            whole = self.flops_of(self.in_float64().network, self.whole)
        return whole and whole / self.group.ranks

    # Who waits for whom.

    def evidence(self):
        """{"number", "backend", "parallel", "bucket_bytes", "late": words} and what behind() gives"""
        found = {"number": self.group.ranks, "backend": self.group.backend, "parallel": self.settings.parallel}
        seen = self.watched_by_all()
        if self.step.shared is not None:
            found["bucket_bytes"] = bucket_bytes(self.step.shared)
        elif not any(step["meetings"] for steps in seen for step in steps):
            raise NotImplementedError("parallel: own: the network does not communicate")
        return {**found, **lateness.behind(seen), "late": lateness.late(seen)}

    def watched_by_all(self):
        """What watched_step() gives, by rank and step."""
        self.team.tell({"what": "watch"})
        self.watch()
        for _ in range(WATCHED):
            self()
        self.team.tell({"what": "watched"})
        return [self.watched(), *(answer["steps"] for answer in self.team.heard())]

    def flags(self):
        """Which rank is late."""
        with self.together():
            seen = self.watched_by_all()
            self.team.tell({"what": "begins"})
            begins = [list(self.begins), *(answer["begins"] for answer in self.team.heard())]
        late = lateness.late(seen) or lateness.begins_late(begins, seen)
        return [late[: late.index(" is ")] + " is late"] if late else []
