"""Engines of this process, and torch's settings while one measures. Knows no statistics."""

import contextlib
import importlib.util

if importlib.util.find_spec("torch") is None:
    raise ImportError("measuring needs torch, which is not installed: pip install 'plumbline-gpu[torch]'")
try:
    from plumbline_gpu import _engine
except ImportError as missing:
    raise ImportError(
        f"plumbline_gpu's extension module does not load: {missing}. The wheel of plumbline-gpu has it for Python 3.10 "
        "and newer, `scripts/build` makes it in build/python for the Python that it was made with"
    ) from missing

_engines: dict = {}  # by device


def device_name(device=None):
    """'cpu' or 'cuda:N'. None: the current GPU, or the CPU if there is none."""
    import torch

    if device is None:
        device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    device = torch.device(device)
    if device.type == "cpu":
        return "cpu"
    if device.type != "cuda":
        raise ValueError(f"device: '{device}' cannot be measured; allowed: cpu, cuda, cuda:N")
    if not torch.cuda.is_available():
        raise ValueError(f"device: '{device}': this torch sees no GPU; use device='cpu'")
    ordinal = torch.cuda.current_device() if device.index is None else device.index
    return f"cuda:{ordinal}"


def device_of(args, device=None):
    """The device of the first GPU tensor among the arguments, unless a device is named."""
    import torch

    if device is None:
        tensors = [x for x in _leaves(args) if isinstance(x, torch.Tensor)]
        on_gpu = [x.device for x in tensors if x.device.type == "cuda"]
        if on_gpu or tensors:
            device = on_gpu[0] if on_gpu else torch.device("cpu")
    return device_name(device)


@contextlib.contextmanager
def measuring(name):
    """The engine of the device. Its stream is torch's current one meanwhile.

    Waits for work that was enqueued before, and at the end for what the measurement enqueued.
    """
    if name == "cpu":
        yield _engine_of(name)
        return
    import torch

    ordinal = int(name.removeprefix("cuda:"))
    with torch.cuda.device(ordinal):
        engine = _engine_of(name)
        torch.cuda.synchronize()
        try:
            with torch.cuda.stream(torch.cuda.ExternalStream(engine.stream, device=ordinal)):
                yield engine
        finally:
            torch.cuda.synchronize()


def _engine_of(name):
    if name not in _engines:
        _engines[name] = _engine.Engine(name)
    return _engines[name]


def _leaves(value):
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        for part in value:
            yield from _leaves(part)
    else:
        yield value
