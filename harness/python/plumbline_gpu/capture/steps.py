"""Where steps begin and end, and which of them are recorded, timed, or ignored.

`pl.step()` or the first optimizer ends a step, or a `with pl.phase(…)` is one. The first step of a name is the warm-up;
the next ones are recorded; later ones are timed without recording, so that recording affects no time. Knows no torch.
"""

import collections
import dataclasses
import time

TIMED = 10  # steps that are timed
PROFILED = 3  # steps after these in which the GPU's busy time is measured


@dataclasses.dataclass
class Step:
    """All steps of one name."""

    name: str
    is_marked: bool  # a phase that the program names
    number: int = -1  # of the current step, from 0
    now: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # calls in the current step
    spent_s: float = 0.0  # in the current step
    warm_up: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # calls in the first step
    calls: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # in the recorded steps
    recorded: int = 0  # steps
    times_s: list = dataclasses.field(default_factory=list)
    busy_s: list = dataclasses.field(default_factory=list)

    def mode(self, wanted):
        """What is done with the current step; `wanted`: steps to record."""
        first_timed = wanted + 2  # skips one step, in which memory is not yet as usual
        if self.number <= wanted:
            return "record"
        if self.number < first_timed:
            return "settle"
        if self.number < first_timed + TIMED:
            return "time"
        return "profile" if self.number < first_timed + TIMED + PROFILED else "done"

    def close(self, wanted):
        """Stores the data of the step that ends."""
        mode = self.mode(wanted)
        if mode == "record" and self.number == 0:
            self.warm_up = self.now
        elif mode == "record":
            self.calls += self.now
            self.recorded += 1
        elif mode == "time" and self.spent_s > 0:
            self.times_s.append(self.spent_s)
        elif mode == "profile" and self.spent_s > 0:
            self.busy_s.append(self.spent_s)
        self.now, self.spent_s = collections.Counter(), 0.0

    def restart(self):
        """Forgets all steps except the current one, which becomes the first."""
        self.number, self.recorded = 0, 0
        self.calls, self.times_s, self.busy_s = collections.Counter(), [], []

    def recorded_calls(self):
        """(calls, number of their steps): those of the warm-up if there was no other step."""
        return (self.calls, self.recorded) if self.recorded else (self.warm_up, 1)


class Steps:
    """`probe` has switch(mode), synchronize() and busy_s(): it records, waits for the device, reads the profile.

    While its is_pushed is true, operators pass through it, recorded or not: no time is read then.
    """

    def __init__(self, wanted, probe):
        self.wanted, self.probe = wanted, probe
        self.base = Step("step", False, number=0)
        self.marked = {}  # by name
        self.open = [self.base]  # the innermost one is last
        self.has_marks = False  # pl.step()
        self.first_optimizer = None
        self.is_optimizing = self.has_backward = False
        self.began = 0.0

    @property
    def current(self):
        return self.open[-1]

    def phase(self, is_backward, has_grad):
        """Phase of an operator called now. Calls without gradients after a backward belong to the optimizer."""
        if self.current.is_marked:
            return self.current.name
        if is_backward:
            self.has_backward = True
            return "backward"
        return "optimizer" if self.is_optimizing or (self.has_backward and not has_grad) else "forward"

    def before_optimizer(self, optimizer):
        self.is_optimizing = True
        if self.first_optimizer is None:
            self.first_optimizer = optimizer

    def after_optimizer(self, optimizer):
        self.is_optimizing = False
        if not self.has_marks and optimizer is self.first_optimizer and self.current is self.base:
            self.next_base()

    def mark_step(self):
        if not self.has_marks:
            self.has_marks = True
            self.base.restart()
        if self.current is self.base:
            self.next_base()

    def next_base(self):
        self.pause()
        self.base.close(self.wanted)
        self.base.number += 1
        self.has_backward = False
        self.resume()

    def enter(self, name):
        self.pause()
        step = self.marked.setdefault(name, Step(name, True))
        if step not in self.open:
            step.number += 1
        self.open.append(step)
        self.resume()

    def leave(self):
        self.pause()
        step = self.open.pop()
        if step not in self.open:
            step.close(self.wanted)
        self.resume()

    def pause(self):
        """Time from here on does not belong to the current step."""
        step, mode = self.current, self.current.mode(self.wanted)
        if mode == "time" and not self.probe.is_pushed:
            self.probe.synchronize()
            step.spent_s += time.perf_counter() - self.began
        self.probe.switch("")
        if mode == "profile":
            step.spent_s += self.probe.busy_s()

    def resume(self):
        mode = self.current.mode(self.wanted)
        self.probe.switch(mode)
        if mode == "time":
            self.probe.synchronize()
            self.began = time.perf_counter()

    def finish(self):
        """The program ends. Returns the steps worth a suite, without what ran outside of marks and steps."""
        self.pause()
        if self.first_optimizer is not None:
            self.base.name = "training"
        if self.base.number == 0 and not self.marked:
            self.base.name = "program"  # the whole program is one step
            self.base.close(self.wanted)
        has_steps = self.base.number > 0 or not self.marked
        return [self.base] * has_steps + list(self.marked.values())
