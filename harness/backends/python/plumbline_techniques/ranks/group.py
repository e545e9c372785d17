"""The ranks of a step as torch's process group, and a second group beside it for what is not timed."""

import contextlib
import datetime
import os

import torch
import torch.distributed as dist

# A rank that waits longer than that is ended by the time limit of its case.
TIMEOUT = datetime.timedelta(days=1)


def digest(tensor):
    """The sum of the bits of its numbers."""
    whole = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
    flat = torch.view_as_real(tensor.detach()) if tensor.is_complex() else tensor.detach()
    return int(flat.contiguous().view(whole[flat.element_size()]).sum(dtype=torch.int64))


class Group:
    """Rank `number` of `ranks`. The others are given the `port` of rank 0, after its open()."""

    def __init__(self, number, ranks, device, port=0):
        self.number, self.ranks, self.device, self.port = number, ranks, device, port
        self.store = self.world = self.control = self.token = None
        self.threads = torch.get_num_threads()

    def open(self):
        is_first = self.number == 0  # its port is a free one, so that programs at the same time do not meet
        self.store = dist.TCPStore("127.0.0.1", self.port, self.ranks, is_first, TIMEOUT, wait_for_workers=False)
        self.port = self.store.port

    def join(self):
        """Waits for all ranks."""
        os.environ["NCCL_NVLS_ENABLE"] = "0"  # multicast can take down a host that others use too
        is_cuda = self.device.type == "cuda"
        if is_cuda:
            torch.cuda.set_device(self.device)
        else:  # all ranks share the processor
            torch.set_num_threads(max(1, self.threads // self.ranks))
        if self.store is None:
            self.open()
        self.backend = "nccl" if is_cuda else "gloo"
        dist.init_process_group(self.backend, store=self.store, rank=self.number, world_size=self.ranks,
                                timeout=TIMEOUT, device_id=self.device if is_cuda else None)  # fmt: skip
        self.world = dist.group.WORLD
        self.control = dist.new_group(backend="gloo", timeout=TIMEOUT)
        self.token = torch.zeros(1, device=self.device)

    def leave(self, is_intact=True):
        if dist.is_initialized():
            if is_intact:
                dist.destroy_process_group()
            else:
                dist.distributed_c10d._abort_process_group()  # waits for nobody
        torch.set_num_threads(self.threads)
        self.world = self.control = self.store = self.token = None

    def abort(self):
        """Ends waiting for another rank, from another thread. Gloo sees itself that a rank has ended."""
        world = self.world
        if world is not None and self.device.type == "cuda":
            world.abort()

    def meet(self):
        """Waits for the others within a step, on a GPU without the host."""
        dist.all_reduce(self.token)

    # Outside of what is timed.

    def send(self, tensor, rank):
        dist.send(tensor.detach().cpu().contiguous(), rank, group=self.control)

    def receive(self, shape, dtype, rank=0):
        tensor = torch.empty(shape, dtype=dtype)
        dist.recv(tensor, rank, group=self.control)
        return tensor

    def from_first(self, tensor):
        """Rank 0's tensor, on each rank."""
        tensor = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
        dist.broadcast(tensor, 0, group=self.control)
        return tensor

    def of_all(self, value):
        """A plain value of each rank, by rank."""
        found = [None] * self.ranks
        dist.all_gather_object(found, value, group=self.control)
        return found

    def difference(self, tensors, bound):
        """The first tensor of {name: tensor} that is another one than rank 0's, as words; "" if there is none.

        Different bits are compared as numbers: `bound` is the error that rounding may have, relative to the size.
        """
        digests = self.of_all({name: digest(tensor) for name, tensor in tensors.items()})
        for rank, names in enumerate(digests):
            if set(names) != set(digests[0]):
                return f"rank {rank} has not the same ones as rank 0: {sorted(set(names) ^ set(digests[0]))[0]}"
        for name in digests[0]:
            if len({values[name] for values in digests}) == 1:
                continue
            first = self.from_first(tensors[name]).double()
            own = tensors[name].detach().cpu().double()
            errors = self.of_all(float((own - first).norm() / max(float(first.norm()), 1e-300)))
            rank = max(range(self.ranks), key=lambda rank: float("inf") if errors[rank] != errors[rank] else errors[rank])
            if not errors[rank] <= bound:
                return f"'{name}' on rank {rank} is off by {errors[rank]:.2g} of its size on rank 0"
        return ""


@contextlib.contextmanager
def alone():
    """Hides the group from torch. What is built and computed meanwhile communicates with no other process."""
    group = dist.group.WORLD if dist.is_available() and dist.is_initialized() else None
    if group is None:
        yield
        return
    dist.distributed_c10d._update_default_pg(None)
    try:
        yield
    finally:
        dist.distributed_c10d._update_default_pg(group)
