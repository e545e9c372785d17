"""What can be asked of a step: one field for each technique."""

import dataclasses
import typing

VALUES = {
    "step": ("inference", "training"),
    "precision": ("float32", "tf32", "bfloat16", "float16"),
    "memory_format": ("contiguous", "channels_last"),
    "compile": (False, True),
    "graph": (False, True),
    "transfer": ("none", "pinned", "pageable"),
    "allocator": ("arena", "native", "expandable_segments", "cuda_malloc_async"),
    "checkpoint": (False, True),
    "optimizer": ("sgd", "adamw"),
    "update": ("plain", "foreach", "fused"),
    "sdpa": ("auto", "math", "flash", "cudnn", "efficient"),
    "prune": ("none", "structured", "2:4"),
    "quantize": ("none", "int8", "fp8", "int4_weights"),
    "share": ("none", "tied", "clustered"),
    "parallel": ("data", "own"),
}
BUCKET_MB = 25.0  # torch's own choice
LEARNING_RATES = {"sgd": 0.01, "adamw": 0.001}


@dataclasses.dataclass(frozen=True)
class Settings:
    """Defaults are the plain step in float32.

    Raises ValueError for a value that is not in VALUES, NotImplementedError for values that exclude each other.
    """

    step: str = "inference"
    precision: str = "float32"
    memory_format: str = "contiguous"  # of images and of the weights of convolutions
    compile: bool = False  # forward and backward by torch.compile
    graph: bool = False  # the whole step is one CUDA graph
    transfer: str = "none"  # memory of the host from which each step copies its arguments
    allocator: str = "arena"  # who gives memory to tensors: the harness, or an allocator of torch
    checkpoint: bool = False  # the module's `blocks` are computed again in the backward pass
    accumulate: int = 1  # micro-batches of a step
    optimizer: str = "sgd"
    update: str = "plain"  # the optimizer's kernels: of each tensor, of lists of tensors, fused
    sdpa: str = "auto"  # the kernels that attention may use
    prune: str = "none"
    quantize: str = "none"
    share: str = "none"
    ranks: int = 1  # processes that compute the step together, each on its own device
    parallel: str = "data"  # each rank has a part of the batch; own: the network communicates itself
    bucket_mb: float = BUCKET_MB  # megabytes of gradients that ranks average together
    learning_rate: typing.Optional[float] = None  # None: that of LEARNING_RATES
    momentum: float = 0.9  # of sgd
    weight_decay: float = 0.01
    max_norm: typing.Optional[float] = None  # the norm that gradients are clipped to
    fraction: float = 0.5  # of channels that `prune: structured` removes
    clusters: int = 16  # values of a layer's weights with `share: clustered`
    scale: float = 65536.0  # the first scale of the loss in float16

    @classmethod
    def of(cls, values):
        """From a dict, such as the point of a sweep. A name that is no field is a ValueError."""
        names = [field.name for field in dataclasses.fields(cls)]
        unknown = [name for name in values if name not in names]
        if unknown:
            raise ValueError(f"found the technique '{unknown[0]}'; allowed: {', '.join(names)}")
        return cls(**values)

    def __post_init__(self):
        for name, allowed in VALUES.items():
            value = getattr(self, name)
            if not any(value is item or (isinstance(value, str) and value == item) for item in allowed):
                raise ValueError(f"{name}: found {value!r}; allowed: {', '.join(map(str, allowed))}")
        if type(self.accumulate) is not int or self.accumulate < 1:
            raise ValueError(f"accumulate: found {self.accumulate!r}; allowed: the number of micro-batches, 1 or more")
        if type(self.ranks) is not int or self.ranks < 1:
            raise ValueError(f"ranks: found {self.ranks!r}; allowed: the number of processes, 1 or more")
        if not self.bucket_mb > 0:
            raise ValueError(f"bucket_mb: found {self.bucket_mb!r}; allowed: megabytes above 0")
        if not 0 < self.fraction < 1:
            raise ValueError(f"fraction: found {self.fraction!r}; allowed: the share of channels to remove, between 0 and 1")
        if type(self.clusters) is not int or not 2 <= self.clusters <= 256:
            raise ValueError(f"clusters: found {self.clusters!r}; allowed: 2 to 256, so that an index is one byte")
        self.refuse_conflicts()

    def refuse_conflicts(self):
        trains = self.step == "training"
        is_own = self.ranks > 1 and self.parallel == "own"
        for conflict, reason in (
            (self.checkpoint and not trains, "checkpoint: inference keeps nothing for a backward pass"),
            (self.accumulate > 1 and not trains, "accumulate: inference has no gradients"),
            (self.quantize != "none" and trains, f"quantize: {self.quantize}: these weights have no gradients"),
            (self.prune == "2:4" and trains, "prune: 2:4: compressed weights have no gradients"),
            (self.quantize != "none" and self.prune == "2:4", "prune: 2:4 and quantize replace the same layers"),
            (self.quantize != "none" and self.share == "clustered", "share: clustered and quantize replace the same layers"),
            (self.prune == "2:4" and self.share == "clustered", "share: clustered and prune: 2:4 replace the same layers"),
            (self.quantize == "int8" and self.precision != "float32", "quantize: int8: its layers take float32"),
            (self.prune == "2:4" and self.precision not in ("bfloat16", "float16"),
             "prune: 2:4: sparse kernels need precision: bfloat16 or float16"),
            (self.graph and self.transfer == "pageable",
             "transfer: pageable: a CUDA graph cannot wait for the host to copy; transfer: pinned can be captured"),
            (self.graph and trains and self.precision == "float16" and self.update != "fused",
             "graph: only the fused optimizers skip a step on the device; others wait for the host (update: fused)"),
            (self.bucket_mb != BUCKET_MB and not self.averages,
             "bucket_mb: only training with ranks above 1 and parallel: data averages gradients"),
            (self.ranks > 1 and self.graph, "graph: a step of several ranks is not captured"),
            (is_own and (self.prune != "none" or self.share != "none"),
             "parallel: own: each rank would change another part of the network (prune, share)"),
        ):
            if conflict:
                raise NotImplementedError(reason)

    @property
    def trains(self):
        return self.step == "training"

    @property
    def averages(self):
        """Whether gradients are averaged over ranks."""
        return self.ranks > 1 and self.trains and self.parallel == "data"

    @property
    def rate(self):
        return LEARNING_RATES[self.optimizer] if self.learning_rate is None else self.learning_rate
