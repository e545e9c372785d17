"""accumulate: a step in several parts of the batch."""

import torch


def micro_batches(args, first, count):
    """Splits all tensors whose first dimension is that of the argument `first` into `count` equal parts."""
    if count == 1:
        return [args]
    batch = len(args[first])
    if batch % count:
        raise ValueError(f"accumulate: {first} has {batch} rows, which is no multiple of {count} micro-batches")

    def part(value, i):
        splits = isinstance(value, torch.Tensor) and value.dim() > 0 and len(value) == batch
        return value[i * batch // count : (i + 1) * batch // count] if splits else value

    return [{name: part(value, i) for name, value in args.items()} for i in range(count)]
