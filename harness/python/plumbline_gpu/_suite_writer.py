"""Writes the suite that a file in Python declares with `@case`: python _suite_writer.py FILE FOLDER [AXIS=VALUE…]

Into FOLDER: suite.yaml, or mistake.txt with a sentence for the user. The file's own output is not redirected.
"""

import importlib.util
import inspect
import json
import math
import os
import pathlib
import re
import sys
import traceback

HERE = os.path.dirname(os.path.realpath(__file__))
if __name__ == "__main__":
    # Modules of this folder must not hide the user's, and others beside the package may belong to another Python.
    sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or ".") != HERE]
    spec = importlib.util.spec_from_file_location("plumbline_gpu", os.path.join(HERE, "__init__.py"),
                                                  submodule_search_locations=[HERE])  # fmt: skip
    sys.modules["plumbline_gpu"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["plumbline_gpu"])

import torch  # noqa: E402

from plumbline_gpu import suites  # noqa: E402
from plumbline_gpu.capture.calls import Bounds, NotCovered, described_tensor  # noqa: E402
from plumbline_gpu.capture.suite import tensor_expression  # noqa: E402

EXACT_RANGE = 100  # integers within it keep their bounds; others' bounds are rounded, because they depend on random
                   # numbers


class Mistake(Exception):
    """What is wrong with the file, with its place."""


def imported(path):
    folder = os.path.dirname(path)
    sys.path.insert(0, folder)
    name = pathlib.Path(path).stem
    if name in sys.modules:  # of others
        name = "plumbline_source_" + name
    spec = importlib.util.spec_from_file_location(name, path)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def in_words(error, path, place=None):
    """FILE:LINE: Python's message, for the last line in the file's folder; without one, `place`."""
    folder = os.path.dirname(path) + os.sep
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if frame.filename.startswith(folder) and "site-packages" not in frame.filename[len(folder):]]  # fmt: skip
    place = f"{frames[-1].filename}:{frames[-1].lineno}" if frames else place or path
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{error.filename}:{error.lineno}"
    return f"{place}: {type(error).__name__}: {error}"


def declared_in(module, path):
    """(name in the file, Case), each one once."""
    found = {}
    for name, value in vars(module).items():
        if isinstance(value, suites.Case):
            found.setdefault(id(value), (name, value))
    if not found:
        raise Mistake(f"{path}: no function of it is decorated with @plumbline_gpu.case; its section in "
                      "docs/python.md has an example")
    return list(found.values())


def apply_set(cases, texts):
    """--set AXIS=VALUE,…: applies to all sweeps that have the axis."""
    for text in texts:
        axis, _, values = text.partition("=")
        values = [value.strip().strip("'\"") for value in values.removeprefix("[").removesuffix("]").split(",")]
        for case in cases:
            known = case.known(axis)
            for sweep in case.sweeps:
                if axis in sweep:
                    sweep[axis] = [suites.value_named(value, known) for value in values]
                    suites.axes_of(sweep)


def line_of(case):
    code = inspect.unwrap(case.function).__code__
    return f"{code.co_filename}:{code.co_firstlineno}"


def benchmark(name, case, values, source):
    """One point of a sweep as a benchmark."""
    point = "/".join(f"{axis}={suites.text_of(value)}" for axis, value in values.items())
    entry = {"op": "python", "name": case.name, "source": source, "function": name}
    entry |= {key: value for key, value in case.options.items() if value}
    sweep = {axis: plain(value) for axis, value in values.items()}
    args = {suites.POINT: f"'{point}'"}
    made = made_here(case, values, point)
    tensors = described(case, made) if made else {}
    if "dtype" not in sweep:
        sweep["dtype"] = first_dtype(tensors)
    for argument, (tensor, bounds) in tensors.items():
        text = tensor_expression(tensor, sweep["dtype"], bounds, "randn")
        args[argument] = {"inout": text} if argument in made.written else text
    entry |= {"args": args, "sweep": {axis: [value] for axis, value in sweep.items()}}
    if case.expected:
        entry["reference_function"] = name + ".reference"
    cost = case.cost(**values) if callable(case.cost) else case.cost
    if cost:
        entry["cost"] = {key: number if isinstance(number, str) else float(number) for key, number in cost.items()}
    if len(case.devices) == 1:
        other = "cpu" if case.devices == ("cuda",) else "cuda"
        reason = f"devices of {case.name} are {case.devices[0]} alone"
        entry["exclude"] = {"where": {"device.kind": other}, "reason": reason}
    return entry


def made_here(case, values, point):
    """Nothing if the point cannot be made: the worker then reports why the case is UNSUPPORTED."""
    is_for_gpu = case.devices == ("cuda",)
    if is_for_gpu and not torch.cuda.is_available():
        return None
    try:
        return case.make(point, values, torch.device("cuda" if is_for_gpu else "cpu"))
    except (NotImplementedError, ImportError):
        return None


def described(case, made):
    """argument -> (TensorArgument, Bounds)"""
    tensors = {}
    for name, tensor in made.tensors.items():
        seen = {}
        try:
            argument = described_tensor(tensor.detach(), name, tensor.is_cuda, seen)
        except NotCovered as reason:
            raise Mistake(f"{line_of(case)}: {case.name} {reason} ({made.point}), which suites cannot say; "
                          f"keep=[{name[3:].partition('_')[0]}] leaves it as it is") from None
        bounds = Bounds()
        bounds.add(seen[name])
        round_inwards(bounds)
        tensors[name] = argument, bounds
    return tensors


def round_inwards(bounds):
    """Rounds to two digits of the range: the bounds of a few thousand random numbers differ after each change."""
    low, high = bounds.low, bounds.high
    if not isinstance(low, int) or not isinstance(high, int) or high - low < EXACT_RANGE:
        return
    step = 10 ** (len(str(high - low)) - 2)
    bounds.high = math.floor(high / step) * step
    bounds.low = min(low, 1) if 0 <= low < step else math.ceil(low / step) * step


def first_dtype(tensors):
    """Dtype of the first floating-point tensor, else of the first tensor."""
    dtypes = [tensor.dtype for tensor, _ in tensors.values()]
    return next((dtype for dtype in dtypes if "float" in dtype), dtypes[0] if dtypes else "float32")


def plain(value):
    return value if isinstance(value, (bool, int, float)) else suites.text_of(value)


def suite_of(path, texts):
    module = imported(path)
    cases = declared_in(module, path)
    apply_set([case for _, case in cases], texts)
    benchmarks = []
    for name, case in cases:
        for values in suites.points_of(case.sweeps):
            try:
                benchmarks.append(benchmark(name, case, values, os.path.basename(path)))
            except Exception as error:
                raise explained(error, case, values, path) from None
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", pathlib.Path(path).stem).strip("-") or "suite"
    return {"suite": stem, "description": description_of(module, path), "benchmarks": benchmarks}


def explained(error, case, values, path):
    if isinstance(error, Mistake):
        return error
    text = in_words(error, path, line_of(case)) + f" ({case.name}{at(values)})"
    if "cuda" in text.lower() and case.devices != ("cuda",):
        text += "; devices=['cuda'] says that it needs a GPU"
    return Mistake(text)


def at(values):
    return "".join(f", {axis}={suites.text_of(value)}" for axis, value in values.items())


def description_of(module, path):
    text = (module.__doc__ or "").strip().partition("\n")[0]
    return text or f"Functions of {os.path.basename(path)}"


def main():
    path, folder, *texts = sys.argv[1:]
    sys.dont_write_bytecode = True  # leaves no files beside the user's file
    sys.argv[:] = [path]
    folder = pathlib.Path(folder)
    try:
        suite = suite_of(path, texts)
    except Mistake as mistake:
        (folder / "mistake.txt").write_text(str(mistake), encoding="utf-8")
    except (Exception, SystemExit) as error:  # from the user's code
        (folder / "mistake.txt").write_text(in_words(error, path), encoding="utf-8")
    else:
        (folder / "suite.yaml").write_text(json.dumps(suite, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    main()
