"""Which operators of torch a program calls, written as a suite: `plumbline capture -- python train.py`.

`phase` and `step` are marks for the captured program. Without a capture they do nothing, so they can stay in it.
"""

import contextlib as _contextlib
import re as _re

# Phases and steps that are known without marks.
_AUTOMATIC = ("forward", "backward", "optimizer", "training", "step", "program")
recorder = None  # of this process, while `plumbline capture` runs it


def step():
    """Ends a step. Without it a step ends where the program's first optimizer has stepped."""
    if recorder is not None:
        recorder.steps.mark_step()


@_contextlib.contextmanager
def phase(name):
    """Makes the code inside a step of its own, of the phase `name`: `with pl.phase("decode"):`."""
    if not _re.fullmatch(r"[A-Za-z][A-Za-z0-9_.-]*", name) or name in _AUTOMATIC:
        raise ValueError(f"phase {name!r}: letters, digits, '_', '.', '-', and none of {', '.join(_AUTOMATIC)}")
    if recorder is None:
        yield
        return
    recorder.steps.enter(name)
    try:
        yield
    finally:
        recorder.steps.leave()
