"""Hands the counts of injected faults to scripts/fault_table: a row of JSON each, in the file that the variable
PLUMBLINE_FAULT_ROWS names. Without it nothing is written. fault_rows.h does the same for programs in C++.

A row: `kind` of fault; `moment` at which it came; what `happened`; the `bar` that was held against it; how many faults
were `injected`, and after how many of them the bar was met (`survived`); `visits_lost`: visits that had been kept and
were gone; `wrong_verdicts`: verdicts or statuses that the planted truth does not support.
"""

import contextlib
import json
import os
import unittest

VARIABLE = "PLUMBLINE_FAULT_ROWS"
TEXTS = ("kind", "moment", "happened", "bar")
COUNTS = ("injected", "survived", "visits_lost", "wrong_verdicts")


class VisitLost(AssertionError):
    """A visit that had been kept is gone."""


class WrongVerdict(AssertionError):
    """A verdict or status that the planted truth does not support."""


def hand_over(kind, moment, happened, bar, injected, survived, visits_lost=0, wrong_verdicts=0):
    """Appends one row, in one call of write, so that several programs can share the file."""
    if path := os.environ.get(VARIABLE):
        values = (kind, moment, happened, bar, injected, survived, visits_lost, wrong_verdicts)
        line = json.dumps(dict(zip((*TEXTS, *COUNTS), values))) + "\n"
        with open(path, "ab", buffering=0) as rows:
            rows.write(line.encode())


@contextlib.contextmanager
def injected(kind, moment, happened, bar):
    """Around the checks of one fault, or as a decorator of its test: hands over whether they held."""
    try:
        yield
    except unittest.SkipTest as reason:
        hand_over(kind, moment, f"not run: {reason}", bar, 0, 0)
        raise
    except BaseException as harm:
        said = (str(harm).strip().splitlines() or [type(harm).__name__])[0]
        hand_over(
            kind, moment, f"bar not met: {said}", bar, 1, 0, int(isinstance(harm, VisitLost)), int(isinstance(harm, WrongVerdict))
        )
        raise
    hand_over(kind, moment, happened, bar, 1, 1)
