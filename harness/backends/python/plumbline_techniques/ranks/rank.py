"""What each rank does in a step that several compute."""

import collections
import contextlib
import statistics
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from ..compared import tensors_of
from ..hosted import HostedStep
from ..micro_batches import micro_batches

ROUNDING = 64  # spacings of a type by which equal numbers may differ
COMMUNICATION = ("c10d", "_c10d_functional")  # torch's operators
REMEMBERED = 1000  # steps
LOGGED = 100  # of so many steps, DistributedDataParallel looks at the times of one: its own choice


def parts_of(arguments, first, settings):
    """By rank, what each is given."""
    if settings.parallel == "own":
        return [arguments] * settings.ranks
    rows, times = len(arguments[first]), f" times {settings.accumulate} micro-batches" if settings.accumulate > 1 else ""
    if rows % (settings.ranks * settings.accumulate):
        raise NotImplementedError(f"ranks: {first} has {rows} rows, which is no multiple of {settings.ranks} ranks{times}")
    return micro_batches(arguments, first, settings.ranks)


def described(arguments):
    """Arguments as JSON: tensors follow through the group, in this order."""
    found = []
    for name, value in arguments.items():
        if isinstance(value, torch.Tensor):
            found.append({"name": name, "shape": list(value.shape), "dtype": str(value.dtype).removeprefix("torch.")})
        elif isinstance(value, (list, tuple)) and any(isinstance(item, torch.Tensor) for item in value):
            raise NotImplementedError(f"ranks: {name} is a list of tensors, and ranks are given tensors only")
        else:
            found.append({"name": name, "value": value})
    return found


def bucket_bytes(shared):
    """Of the pieces in which gradients are averaged. After the first step they are made anew, in the order of use."""
    logged = shared._get_ddp_logging_data()
    sizes = logged.get("rebuilt_bucket_sizes") or logged["bucket_sizes"]
    return [int(size) for size in sizes.split(",")]


class Meetings(TorchDispatchMode):
    """While it is entered: the time at which communication first began, and how many operators communicated."""

    def __init__(self, now):
        super().__init__()
        self.now, self.first, self.count = now, None, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function.namespace in COMMUNICATION:
            self.first = self.first or self.now()
            self.count += 1
        return function(*args, **(kwargs or {}))


class Clock:
    """Times on the device: by events on a GPU, by the host's clock elsewhere."""

    def __init__(self, device):
        self.is_cuda = device.type == "cuda"

    def now(self):
        if not self.is_cuda:
            return time.monotonic()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def synchronize(self):
        if self.is_cuda:
            torch.cuda.synchronize()

    def seconds(self, before, after):
        return before.elapsed_time(after) / 1e3 if self.is_cuda else after - before


class Rank(HostedStep):
    """A rank's part of a step. With `parallel: data` it has a part of the batch, otherwise all arguments."""

    def __init__(self, group, factory, factory_arguments, loss, settings, dtype):
        self.group = group
        self.given = None  # arguments, as they come; `mine`: as the step takes them
        self.last = None  # what the last step returned, on ranks above 0
        self.begins = collections.deque(maxlen=REMEMBERED)  # when the last steps began
        self.steps = None  # while they are watched
        self.squares = None  # of a network that communicates itself: by rank, {weight: sum of its squared gradients}
        super().__init__(factory, factory_arguments, loss, settings, dtype, group.device)
        self.keeps_values = True  # ranks have copies

    @property
    def is_data_parallel(self):
        return self.settings.parallel == "data"

    def use(self, arguments):
        self.given, self.mine = arguments, self.laid(arguments, self.mine)

    def receive(self, arguments):
        """From rank 0, as described() says."""
        found = {}
        for item in arguments:
            found[item["name"]] = item.get("value")
            if "shape" in item:
                tensor = self.group.receive(item["shape"], getattr(torch, item["dtype"]))
                found[item["name"]] = tensor.to(self.group.device)
        self.use(found)

    def computed(self):
        """One step."""
        returned = self.step(**self.mine)
        if self.is_data_parallel and not self.is_training:
            self.group.meet()  # inference is over when all parts are
        return returned

    def one_step(self):
        self.begins.append(time.monotonic())
        if self.steps is None:
            return self.computed()
        returned, found = self.watched_step()
        self.steps.append(found)
        return returned

    def launch(self):
        """For ranks above 0."""
        self.last = self.one_step()

    def rehearse(self):
        """As HostedStep does, on each rank. -> (its evidence, the difference between ranks in words)"""
        return super().rehearse(**self.given), self.difference_alone() if self.is_data_parallel else ""

    def checked_gradients(self, args):
        return {}  # rank 0 checks those of the whole batch

    def difference_alone(self):
        """All ranks compute rank 0's part, each alone, and must get the same. Averages would hide which one did not."""
        args = {name: self.group.from_first(value).to(self.group.device) if isinstance(value, torch.Tensor) else value
                for name, value in self.given.items()}  # fmt: skip
        with torch.random.fork_rng(), self.step.alone():
            torch.manual_seed(0)
            returned = self.step(**self.laid(args))
            tensors = self.step.gradients() if self.is_training else tensors_of(returned)
            found = self.group.difference(tensors, self.bound)
        self.step.reset()
        what = "gradient of" if self.is_training else "output"
        return found and f"the {what} {found}, computed from the same inputs"


    def sizes(self):
        """{weight: how many numbers}"""
        return {name: weight.numel() for name, weight in self.step.weights().items()}

    # Results.

    def share_results(self, returned):
        """What rank 0 needs of the others. -> (loss of all, or outputs of all by name; the difference in words)"""
        if not self.is_training:
            outputs = tensors_of(returned)
            return (self.joined(outputs), "") if self.is_data_parallel else (outputs, self.difference("output", outputs))
        if not self.is_data_parallel:
            gradients = self.step.gradients()
            self.squares = self.group.of_all({name: float(one.double().square().sum()) for name, one in gradients.items()})
            return returned, self.difference("result", {"loss": returned})
        losses = self.group.of_all(float(returned))
        return torch.full_like(returned, statistics.fmean(losses)), self.difference("gradient of", self.step.gradients())

    def difference(self, what, tensors):
        types = [tensor.dtype for tensor in tensors.values() if tensor.is_floating_point()]
        bound = ROUNDING * max((torch.finfo(dtype).eps for dtype in types), default=0)
        found = self.group.difference(tensors, bound)
        return found and f"the {what} {found}"

    def joined(self, outputs):
        """The outputs of all parts of the batch, on rank 0."""
        rows = len(self.given[self.step.first_of(self.given)])
        found = {}
        for name, tensor in outputs.items():
            if tensor.dim() == 0 or len(tensor) != rows:
                raise NotImplementedError(f"ranks: the output {name} has no row for each of the inputs, so that parts of "
                                          "the batch cannot be joined")  # fmt: skip
            if self.group.number > 0:
                self.group.send(tensor, 0)
                continue
            others = [self.group.receive(tensor.shape, tensor.dtype, rank) for rank in range(1, self.group.ranks)]
            found[name] = torch.cat([tensor, *(other.to(tensor.device) for other in others)])
        return found

    # Who waits for whom.

    def watch(self):
        """From now on, steps are watched."""
        self.steps = []
        if self.step.shared is not None:
            self.step.shared._set_ddp_runtime_logging_sample_rate(1)

    def watched(self):
        """What was seen of the steps since watch(), and ends that."""
        found, self.steps = self.steps, None
        if self.step.shared is not None:
            self.step.shared._set_ddp_runtime_logging_sample_rate(LOGGED)
        return found

    def watched_step(self):
        """Computes a step. -> (what it returned, {"begin_s": by the host's clock, "own_s": until it needed the others or
        had all gradients, "all_s", and "waited_s" for the averages, or "meetings": how often it communicated})"""
        clock = Clock(self.group.device)
        begin_s, begin_ns, first = time.monotonic(), time.time_ns(), clock.now()
        with Meetings(clock.now) if self.step.shared is None else contextlib.nullcontext() as meetings:
            returned = self.computed()
        end = clock.now()
        clock.synchronize()
        found = {"begin_s": begin_s, "all_s": time.monotonic() - begin_s}
        if meetings is not None:
            own_s = clock.seconds(first, meetings.first or end)
            return returned, {**found, "own_s": own_s, "meetings": meetings.count}
        self.step.shared.logger.set_runtime_stats_and_log()
        times = self.step.shared._get_ddp_logging_data()
        own_ns = (times["forward_compute_time"] + times["backward_compute_time"] if clock.is_cuda
                  else times["backward_compute_time_end"] - begin_ns)  # fmt: skip
        waited_ns = times["backward_comm_time"] - times["backward_compute_comm_overlap_time"]
        return returned, {**found, "own_s": own_ns / 1e9, "waited_s": waited_ns / 1e9}
