"""What a rule is, and the list of rules.

A rule is a function with @rule in front of it. It gets

  baseline  the accepted nights: the first ones of the device class, oldest first
  past      all earlier nights of the device class, the accepted ones among them, oldest first
  tonight   the night that is judged
  series    the (case, metric) pairs that are judged: all of these nights have them

and gives the series that it calls slower, as any iterable. Nights are objects of nights.Night. A rule may look at all
series of a night, as one that corrects for many tests does. slower_series() makes a rule of a function that looks at
one series.
"""

import dataclasses
import importlib.util
import pathlib
import typing


class Absent(Exception):
    """A rule cannot run here; the text says what is missing."""


@dataclasses.dataclass(frozen=True)
class Rule:
    name: str
    about: str  # for the table: the rule in a line, with its constants
    judge: typing.Callable


RULES = {}


def rule(name, about):
    def add(judge):
        if name in RULES:
            raise ValueError(f"two rules are called {name}")
        RULES[name] = Rule(name, about, judge)
        return judge

    return add


def slower_series(judge_one):
    """A rule that asks judge_one(baseline, past, tonight, one) of each series by itself."""

    def judge(baseline, past, tonight, series):
        return [one for one in series if judge_one(baseline, past, tonight, one)]

    return judge


def load(path):
    """Runs a file of rules of the user's own."""
    spec = importlib.util.spec_from_file_location(pathlib.Path(path).stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
