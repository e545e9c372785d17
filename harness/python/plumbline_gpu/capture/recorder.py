"""Records the operators that a program calls, in its own process, and writes the suite when it ends."""

import atexit
import collections
import os
import sys

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode

from plumbline_gpu import capture
from plumbline_gpu.capture.calls import Bounds, NotCovered, describe, drawn_like, is_work
from plumbline_gpu.capture.inputs import Inputs, read_tensors
from plumbline_gpu.capture.steps import Steps
from plumbline_gpu.capture.suite import write_suite


class Calls(TorchDispatchMode):
    """Sees each operator below autograd, before it runs."""

    def __init__(self, note):
        super().__init__()
        self.note = note

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if isinstance(func, torch._ops.OpOverload) and func._can_decompose():
            with self:  # in inference mode; in other modes autograd has already done it
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        self.note(func, args, kwargs)
        return func(*args, **kwargs)


class Recorder:
    """Of one process."""

    def __init__(self, folder, wanted, inputs_bytes=0):
        self.folder = folder
        self.inputs = Inputs(inputs_bytes) if inputs_bytes else None
        self.mode = Calls(self.note)
        self.is_recording = self.is_pushed = False
        self.profile = None
        self.bounds = {}  # call -> place of a tensor or number -> Bounds
        self.missing = {}  # name of an operator -> why no suite can express it
        self.passed_over = collections.Counter()  # views, allocations, questions about tensors
        self.steps = Steps(wanted, self)
        self.steps.resume()

    def note(self, func, args, kwargs):
        if not self.is_recording:
            return
        steps = self.steps
        phase = steps.phase(torch._C._current_graph_task_id() != -1, torch.is_grad_enabled())
        if not isinstance(func, torch._ops.OpOverload):
            return self.miss(str(func), "is no operator of the dispatcher", phase)
        if not is_work(func):
            self.passed_over[func._schema.name] += 1
            return None
        found = {}
        try:
            call = describe(func, args, kwargs, found)
            known = self.bounds.setdefault(call, {})
            for place, value in found.items():
                known.setdefault(place, Bounds()).add(drawn_like(func, place, value))
            if self.inputs is not None:
                self.inputs.add(call, read_tensors(func, found))
        except NotCovered as reason:
            return self.miss(func._schema.name, str(reason), phase)
        except Exception as error:  # a mistake of this recorder must not end the program
            return self.miss(func._schema.name, f"is not understood: {error!r}", phase)
        steps.current.now[call, phase] += 1
        return None

    def miss(self, name, reason, phase):
        self.missing[name] = reason
        self.steps.current.now[name, phase] += 1

    def switch(self, mode):
        """`mode`: that of a step; "": none."""
        self.is_recording = mode == "record"
        is_top = _get_current_dispatch_mode() is self.mode
        if self.is_recording and not self.is_pushed:
            self.mode.__enter__()
            self.is_pushed = True
        elif not self.is_recording and self.is_pushed and is_top:  # otherwise the program's own modes lie on top of it
            self.mode.__exit__(None, None, None)
            self.is_pushed = False
        if mode == "settle" and "torch._dynamo" in sys.modules:
            torch._dynamo.reset()  # it compiled nothing while a mode was active, and remembers that
        if mode == "profile" and torch.cuda.is_initialized():
            self.start_profile()

    def start_profile(self):
        profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA])
        try:
            profile.__enter__()
            self.profile = profile
        except RuntimeError:  # the program itself uses the profiler
            pass

    def synchronize(self):
        if torch.cuda.is_initialized():
            torch.cuda.synchronize()

    def busy_s(self):
        """Seconds in which kernels and copies ran since the switch to a profile."""
        if self.profile is None:
            return 0.0
        self.synchronize()
        self.profile.__exit__(None, None, None)
        events, self.profile = self.profile.key_averages(), None
        return sum(event.self_device_time_total for event in events) * 1e-6

    def finish(self):
        steps = self.steps.finish()
        capture.recorder = None
        if any(step.recorded_calls()[0] for step in steps):
            write_suite(self, steps)


def start_recorder():
    folder = os.environ["PLUMBLINE_CAPTURE"]
    recorder = Recorder(folder, int(os.environ.get("PLUMBLINE_CAPTURE_STEPS", "3")),
                        int(os.environ.get("PLUMBLINE_CAPTURE_INPUTS", "0")))  # fmt: skip
    capture.recorder = recorder
    steps = recorder.steps
    register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: steps.before_optimizer(optimizer))
    register_optimizer_step_post_hook(lambda optimizer, args, kwargs: steps.after_optimizer(optimizer))

    def finish(process=os.getpid()):
        if os.getpid() != process:  # a fork of the process
            return
        try:
            recorder.finish()
        except Exception as error:
            print(f"plumbline: no suite is written: {error!r}", file=sys.stderr)

    atexit.register(finish)
