"""Writes the recording as a suite: a benchmark for each different call, with its calls per step."""

import collections
import hashlib
import json
import math
import os
import pathlib
import re
import statistics
import sys

import torch

from plumbline_gpu.capture.calls import Call, Real, TensorArgument, Text

LONGEST_CALL = 100  # characters in a case's id
LARGEST = {"float16": 65504.0, "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}  # replaces infinity
LARGEST_OF_OTHERS = 3e38


def write_suite(recorder, steps):
    """Writes a file into the recorder's folder; its name sorts by its number of calls."""
    weights = collections.defaultdict(dict)  # call -> phase -> calls per step
    missing = collections.defaultdict(dict)
    for step in steps:
        calls, count = step.recorded_calls()
        for (call, phase), number in calls.items():
            (weights if isinstance(call, Call) else missing)[call][phase] = number / count
    lines = head(recorder, steps, missing)
    lines += [f"suite: {suite_name()}", f"description: Operators that {program()} calls"]
    lines += ["steps:"] + [step_line(step) for step in steps]
    lines += ["benchmarks:"]
    ids = set()
    for call, phases in sorted(weights.items(), key=lambda item: item[0].op):
        lines += benchmark(call, phases, Values(recorder, call), ids)
    number = sum(sum(phases.values()) for phases in weights.values())
    path = pathlib.Path(recorder.folder) / f"{int(number):012}-{os.getpid()}.yaml"
    if recorder.inputs is not None and recorder.inputs.arrays:
        recorder.inputs.write(path.with_suffix(".safetensors"))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


class Values:
    """What is known of the values of a call's tensors and numbers, by place."""

    def __init__(self, recorder, call):
        self.bounds, self.inputs, self.call = recorder.bounds[call], recorder.inputs, call
        self.file = os.environ.get("PLUMBLINE_CAPTURE_FILE", "captured.safetensors")

    def saved(self, place):
        return None if self.inputs is None else self.inputs.saved(self.call, place)


def program():
    return pathlib.Path(sys.argv[0]).name if sys.argv and sys.argv[0] not in ("", "-c") else "the program"


def suite_name():
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", pathlib.Path(program()).stem).strip("-")
    return name if name and name != "the-program" else "captured"


def head(recorder, steps, missing):
    device = torch.cuda.get_device_name() if torch.cuda.is_initialized() else "CPU"
    lines = [f"# Operators of {program()}, recorded by plumbline capture with torch {torch.__version__} on {device}.", "#"]
    for step in steps:
        lines.append(f"# {step.name}: {steps_in_words(step)}")
    if missing:
        lines += ["#", "# Not covered, with the calls in a step:"]
    for name, phases in sorted(missing.items()):
        lines.append(f"#   {name} ({in_words(phases)}): {recorder.missing[name]}")
    if recorder.inputs is not None:
        lines += inputs_in_words(recorder)
    if recorder.passed_over:
        names = ", ".join(name.partition("::")[2] for name in sorted(recorder.passed_over) if name.startswith("aten"))
        lines += ["#", f"# No cases, since they compute nothing: {names}"]
    return lines


def inputs_in_words(recorder):
    """Which calls have the program's inputs, and which have none for lack of room."""
    inputs = recorder.inputs
    kept = sum(1 for recordings in inputs.recordings.values() if recordings)
    lines = ["#", f"# Inputs of {kept} calls are kept ({inputs.used_bytes / 2**20:.4g} MiB, equal ones once)."]
    if inputs.left_out:
        lines.append(f"# No room for others (--inputs-limit {inputs.limit_bytes / 2**30:.4g}, in GiB); theirs are drawn:")
    for call, needed in sorted(inputs.left_out.items(), key=lambda item: -item[1]):
        lines.append(f"#   {call.op} {call_text(call, case_dtype(call))}: {needed / 2**20:.4g} MiB")
    return lines


def steps_in_words(step):
    _, count = step.recorded_calls()
    text = f"{count} recorded" if step.recorded else "the first one recorded, which may hold more than others"
    if not step.times_s:
        return text + ", none timed: the program ended first"
    text += f", {len(step.times_s)} timed ({min(step.times_s):.4g} to {max(step.times_s):.4g} s)"
    return text + (f", the GPU of {len(step.busy_s)} traced" if step.busy_s else "")


def in_words(phases):
    return ", ".join(f"{phase} {number:g}" for phase, number in phases.items())


def step_line(step):
    """`time`: of a step, `busy`: of its GPU; both medians in seconds."""
    own = {phase for _, phase in step.recorded_calls()[0]}
    order = ["forward", "backward", "optimizer"]
    fields = [f"phases: [{', '.join(sorted(own, key=lambda p: (order.index(p) if p in order else 3, p)))}]"]
    for name, seconds in (("time", step.times_s), ("busy", step.busy_s)):
        if seconds:
            fields.append(f"{name}: {statistics.median(seconds):.6g}")
    return f"  {step.name}: {{{', '.join(fields)}}}"


def benchmark(call, phases, values, ids):
    dtype = case_dtype(call)
    text = call_text(call, dtype)
    if (call.op, text, dtype) in ids:
        text += "+" + short_hash(repr(call))
    ids.add((call.op, text, dtype))
    args = ", ".join(
        f"{name}: {json.dumps(expression(value, name, dtype, values))}" for name, value in call.arguments
    )
    weights = ", ".join(f"{phase}: {number:.6g}" for phase, number in phases.items())
    return [
        f"  - op: {call.op}",
        f"    args: {{{args}}}",
        f"    sweep: {{call: [{json.dumps(text)}], dtype: [{dtype}]}}",
        f"    calls: {{{weights}}}",
    ]


def tensors_in(value):
    if isinstance(value, TensorArgument):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from tensors_in(item)


def case_dtype(call):
    """Dtype of its first floating-point tensor, else of its first tensor."""
    dtypes = [t.dtype for _, value in call.arguments for t in tensors_in(value)]
    return next((d for d in dtypes if "float" in d), dtypes[0] if dtypes else "float32")


def call_text(call, dtype):
    """Tells calls of an operator apart in ids: `64+32x64+64x64s1x64` (with a transposed matrix)."""
    parts = [part for part in (text_of(name, value, dtype) for name, value in call.arguments) if part]
    text = "+".join(parts) or "none"
    return text if len(text) <= LONGEST_CALL else text[: LONGEST_CALL - 9] + "+" + short_hash(repr(call))


def text_of(name, value, dtype):
    if isinstance(value, TensorArgument):
        own = "" if value.dtype == dtype else value.dtype + "."
        shape = "number" if value.is_host else "x".join(map(str, value.shape)) or "0d"
        return own + shape + strides_text(value)
    if value is None or isinstance(value, Real) or name == "device":
        return ""
    if isinstance(value, tuple) and any(True for _ in tensors_in(value)):
        return "_".join(text_of(name, item, dtype) for item in value)
    if isinstance(value, tuple):
        return f"{name}." + "x".join(map(plain, value))
    return f"{name}.{plain(value)}"


def strides_text(tensor):
    return "s" + "x".join(map(str, tensor.strides)) if tensor.strides else ""


def plain(value):
    text = value.text if isinstance(value, Text) else f"{value:.6g}" if isinstance(value, float) else str(value).lower()
    return re.sub(r"[^A-Za-z0-9._-]", "-", text)


def short_hash(text):
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def expression(value, place, dtype, values):
    """The value in the grammar of suites."""
    if isinstance(value, TensorArgument):
        saved = None if value.is_host else values.saved(place)
        source = recorded(values.file, saved, value.dtype, dtype) if saved else None
        return tensor_expression(value, dtype, values.bounds.get(place), source=source)
    if isinstance(value, tuple):
        items = (expression(item, (place, i), dtype, values) for i, item in enumerate(value))
        return "[" + ", ".join(items) + "]"
    if value is None or isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Text):
        return quoted(value.text)
    if isinstance(value, Real):
        value = values.bounds[place].high
    return number(value, dtype)


def number(value, dtype):
    """Replaces infinity, which suites cannot write, by the largest number of the type: the time is the same."""
    if isinstance(value, float) and not math.isfinite(value):
        largest = LARGEST.get(dtype, LARGEST_OF_OTHERS)
        value = 0.0 if math.isnan(value) else math.copysign(largest, value)
    return repr(value)


def tensor_expression(tensor, dtype, bounds, real="uniform", source=None):
    """`real`: the generator for floating-point numbers that may be negative. `source`: what gives the values instead."""
    if tensor.is_host:
        return f"aten::scalar_tensor({number(bounds.high, tensor.dtype).lower()}, dtype='{tensor.dtype}')"
    source = source or generator(tensor.dtype, dtype, bounds, real)
    shape = "[" + ", ".join(map(str, tensor.shape)) + "]"
    if not tensor.strides:
        return source + shape
    extent = 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.strides))
    strides = "[" + ", ".join(map(str, tensor.strides)) + "]"
    return f"aten::as_strided({source}[{extent}], {shape}, {strides})"


def recorded(file, saved, own, dtype):
    """The program's own values."""
    keywords = [] if own == dtype else [f'dtype="{own}"']
    keywords += ["nan=true"] if saved.has_nan else []
    return f"file({', '.join([quoted(file), quoted(saved.tensor), *keywords])})"


def quoted(text):
    return f'"{text}"' if "'" in text else f"'{text}'"


def generator(own, dtype, bounds, real):
    """`uniform`, or a generator that keeps the program's range: no square root of a negative number."""
    keyword = "" if own == dtype else f'dtype="{own}"'
    low, high = (bounds.low, bounds.high) if bounds else (math.inf, -math.inf)
    if own == "bool" or "int" in own:
        low, high = (0, 1) if own == "bool" or low > high else (low, high)
        keyword = f'dtype="{own}"' if own != "int64" else ""
        return f"randint({low}, {high + 1}{', ' + keyword if keyword else ''})"
    name = "rand" if 0 <= low <= high and own.startswith(("float16", "float32", "float64", "bfloat16")) else real
    return f"{name}({keyword})" if keyword else name
