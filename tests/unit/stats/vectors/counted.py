"""Distributions and intervals counted from their definitions, with Python's integers."""

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np


def interval_of(sorted_values, counts, confidence):
    """Ends and coverage of the symmetric interval of order statistics, `counts[k]` of a statistic k from 0 up."""
    total, below, k = sum(counts.values()), 0, 0
    risk = (1 - Fraction(confidence).limit_denominator(10**6)) / 2
    n = len(sorted_values)
    while k < (n + 1) // 2 and Fraction(below + counts[k], total) <= risk:
        below += counts[k]
        k += 1
    if k == 0:
        k, below = 1, counts[0]
    return [sorted_values[k - 1], sorted_values[n - k]], float(1 - 2 * Fraction(below, total))


def counted_signs(weights):
    """How often each sum of the positive weights occurs over all choices of signs."""
    counts = Counter({0: 1})
    for weight in weights:
        shifted = Counter({total + weight: count for total, count in counts.items()})
        counts.update(shifted)
    return counts


def counted_choices(weights, chosen):
    """How often each sum occurs over all choices of that many weights."""
    weights = list(weights)
    counts = np.zeros((chosen + 1, sum(sorted(weights)[-chosen:]) + 1), dtype=object)  # Python's integers
    counts[0, 0] = 1
    for weight in weights:
        counts[1:, weight:] += counts[:-1, : counts.shape[1] - weight].copy()
    return Counter({total: int(count) for total, count in enumerate(counts[chosen]) if count})


def tails(counts, seen, side):
    total = sum(counts.values())
    less = Fraction(sum(c for k, c in counts.items() if k <= seen), total)
    greater = Fraction(sum(c for k, c in counts.items() if k >= seen), total)
    return float({"less": less, "greater": greater, "two_sided": min(1, 2 * min(less, greater))}[side])


OPPOSITE = {"less": "greater", "greater": "less", "two_sided": "two_sided"}


def center_interval(values, confidence):
    """Hodges and Lehmann's center and its exact interval."""
    means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(values, 2)])
    return np.median(means), *interval_of(means, counted_signs(range(1, len(values) + 1)), confidence)
