"""A suite in Python: `@case` makes the function below it a benchmark of `plumbline run ops.py`.

The function is called at each point of its sweep and returns a callable and its arguments. A worker calls that callable
with tensors that Plumbline makes, with the same shapes and types. _suite_writer.py writes the suite.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from typing import Any, Callable, Mapping, NamedTuple, Sequence

POINT = "_point"  # the argument in which a worker gives the point of the sweep
SEED = 0  # before each call of the function: its random numbers are the same in every process
_device = None  # the device for tensors while Plumbline calls a function
_made = None  # the last point that was made: the worker measures one case at a time


def device():
    """The torch.device of the case that is being made; otherwise the GPU, or the CPU if there is none."""
    import torch

    return _device or torch.device("cuda" if torch.cuda.is_available() else "cpu")


def case(
    sweep: Mapping[str, Any] | Sequence[Mapping[str, Any]] | None = None,
    reference: Callable | None = None,
    *,
    name: str | None = None,
    cost: Mapping[str, Any] | Callable | None = None,
    tolerance: float | None = None,
    threshold: str | float | None = None,
    tags: Sequence[str] = (),
    devices: Sequence[str] = ("cpu", "cuda"),
    writes: Sequence[str | int] = (),
    keep: Sequence[str | int] = (),
) -> Callable[[Callable], Case]:
    """Decorates a function of the sweep's values that returns `callable, argument, …`.

    sweep: axis -> values, which are crossed; a list of such maps joins their points.
    reference: takes the arguments of the callable, tensors in float64, and returns the expected results.
    name: of the cases; default: the function's. devices: the kinds that it runs on. tags, tolerance: as in a suite.
    cost: {"flops": …, "bytes": …} of one call: numbers, expressions of the axes, or a function of the sweep's values.
    threshold: the slowdown that is a regression, 0.02 or "2%".
    writes: arguments of the callable that it writes to, by name or position from 0; they are results.
    keep: arguments that keep the contents made by the function, because other contents would be invalid.
    """
    if isinstance(devices, str) or not devices or set(devices) - {"cpu", "cuda"}:
        raise ValueError(f"devices={devices!r}: it is a list of 'cpu', 'cuda' or both")
    if reference is not None and not callable(reference):
        raise TypeError(f"reference={reference!r}: it is a function that takes the callable's arguments")
    sweeps = [axes_of(one) for one in ([sweep or {}] if isinstance(sweep or {}, Mapping) else sweep)]
    options = {"tolerance": tolerance, "tags": list(tags), "threshold": threshold and {"slowdown": threshold}}
    return lambda function: Case(function, sweeps, reference, name, cost, options, tuple(devices), writes, keep)


class Case:
    """What `@case` makes of a function. Called by hand, it behaves like the function."""

    def __init__(self, function, sweeps, expected, name, cost, options, devices, writes, keep):
        self.function, self.sweeps, self.expected, self.cost = function, sweeps, expected, cost
        self.options, self.devices, self.writes, self.keep = options, devices, writes, keep
        self.name = name or function.__name__
        self.__name__, self.__doc__, self.__module__ = function.__name__, function.__doc__, function.__module__
        parameters = inspect.signature(function).parameters
        for axis in {axis for sweep in sweeps for axis in sweep} - set(parameters):
            raise TypeError(f"{function.__name__}() takes no argument '{axis}', which its sweep has")

    def __call__(self, *values, **arguments):
        if POINT not in arguments:
            return self.function(*values, **arguments)
        made = self.made(arguments)
        return made.call(made.function, arguments)

    def reference(self, **arguments):
        """The expected results for a worker's arguments."""
        return self.made(arguments).call(self.expected, arguments)

    def made(self, arguments):
        """The point that a worker names; made again unless it is the last one."""
        global _made
        point = arguments[POINT]
        if _made is None or _made.point != point or _made.case is not self:
            _made = None  # frees its memory first
            where = next((item.device for item in arguments.values() if hasattr(item, "device")), device())
            made = self.make(point, self.values_of(point), where)
            made.tensors.clear()  # the worker has its own
            _made = made
        return _made

    def make(self, point, values, where):
        """Calls the function. Throws what it throws, and TypeError if it returns something else."""
        global _device
        import torch

        before, _device = _device, where
        try:
            with torch.random.fork_rng(devices=[where] if where.type == "cuda" else []):
                torch.manual_seed(SEED)
                returned = self.function(**values)
        finally:
            _device = before
        if not isinstance(returned, tuple) or not returned or not callable(returned[0]):
            raise TypeError(f"{self.function.__name__}() returned a {type(returned).__name__}; it returns a callable "
                            "and its arguments, as in: return torch.add, x, y")
        return Made(self, point, *returned)

    def values_of(self, point):
        """The values of `dtype=float32/n=1024`, from the sweep or from --set."""
        parts = [part.partition("=") for part in point.split("/") if part]
        return {axis: value_named(text, self.known(axis)) for axis, _, text in parts}

    def known(self, axis):
        return [value for sweep in self.sweeps for value in sweep.get(axis, ())]


class Tensor(NamedTuple):
    """Stands for a tensor that Plumbline makes."""

    name: str


class Made:
    """A point of a sweep: its callable and its arguments, with a Tensor for each that Plumbline gives."""

    def __init__(self, case, point, function, *arguments):
        self.case, self.point, self.function = case, point, function
        self.tensors = {}  # by name, as the function made them
        self.written = {f"arg{i}" for i in places_of(case.writes, function, len(arguments), "writes")}
        kept = places_of(case.keep, function, len(arguments), "keep")
        self.arguments = [
            argument if i in kept else self.emptied(argument, f"arg{i}") for i, argument in enumerate(arguments)
        ]
        for name in self.written - set(self.tensors):
            raise TypeError(f"{case.name}: writes names an argument that is no tensor, or that is kept ({name[3:]})")

    def emptied(self, value, name):
        if type(value) in (list, tuple):
            return type(value)(self.emptied(item, f"{name}_{i}") for i, item in enumerate(value))
        if not is_tensor(value):
            return value
        self.tensors[name] = value
        return Tensor(name)

    def call(self, function, arguments):
        return function(*[filled(item, arguments) for item in self.arguments])


def filled(item, tensors):
    kind = type(item)
    if kind is Tensor:
        return tensors[item.name]
    return kind(filled(part, tensors) for part in item) if kind is list or kind is tuple else item


def is_tensor(value):
    import torch

    return isinstance(value, torch.Tensor)


def places_of(names, function, count, keyword):
    """Positions of arguments given by name or position."""
    places = set()
    for name in names:
        if isinstance(name, str):
            try:
                known = list(inspect.signature(function).parameters)
            except (TypeError, ValueError):
                known = []
            place = known.index(name) if name in known else count
        else:
            place = name
        if not 0 <= place < count:
            raise ValueError(f"{keyword}={list(names)!r}: the callable has {count} arguments, and none is {name!r}")
        places.add(place)
    return places


def axes_of(sweep):
    """axis -> list of different values, each with its text."""
    axes = {}
    for axis, values in sweep.items():
        values = list(values) if isinstance(values, (list, tuple, range)) else [values]
        texts = [text_of(value) for value in values]
        if not values or len(set(texts)) < len(texts):
            raise ValueError(f"the axis '{axis}' has no value, or one twice: {', '.join(texts)}")
        axes[axis] = values
    return axes


def points_of(sweeps):
    """The points, each a map axis -> value; the last axis runs fastest."""
    for axes in sweeps:
        for values in itertools.product(*axes.values()):
            yield dict(zip(axes, values))


def text_of(value):
    """The text in the case's id: float32, 1024, 64x128, the name of a function."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float, str)):
        text = str(value)
    elif isinstance(value, tuple):
        text = "x".join(map(text_of, value))
    else:
        text = getattr(value, "__name__", str(value)).removeprefix("torch.")
    if not re.fullmatch(r"[A-Za-z0-9._+-]+", text):
        raise ValueError(f"{value!r} as a value of a sweep: its text in case ids is letters, digits, '.', '_', '+', '-'")
    return text


def value_named(text, known):
    """The sweep's value with that text; otherwise the text of --set as a dtype, number, true, false, none or text."""
    import torch

    for value in known:
        if text_of(value) == text:
            return value
    if isinstance(getattr(torch, text, None), torch.dtype):
        return getattr(torch, text)
    words = {"true": True, "false": False, "none": None}
    try:
        return words[text] if text in words else ast.literal_eval(text)
    except (SyntaxError, ValueError):
        return text
