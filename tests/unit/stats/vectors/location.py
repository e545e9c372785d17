"""Vectors of estimates of location and of quantiles."""

import itertools
import math
from collections import Counter

import numpy as np
from case import EXACT, add, on_a_grid, times
from counted import center_interval, interval_of
from scipy import stats


def hodges_lehmann(rng):
    for n in (1, 3, 6, 17, 50):
        for confidence in (0.8, 0.95, 0.999):
            a = times(rng, n) if n % 2 else on_a_grid(rng, n)
            estimate, ends, coverage = center_interval(a, confidence)
            add("hodges_lehmann", "counted from the definition", EXACT,
                {"estimate": estimate, "interval": ends, "coverage": coverage}, a, confidence=confidence)
    for n in (51, 200):  # ranks by the normal approximation with continuity correction
        a = times(rng, n)
        means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(a, 2)])
        k = math.floor(n * (n + 1) / 4 + 0.5 + stats.norm.ppf(0.025) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
        add("hodges_lehmann", "normal approximation written out", EXACT,
            {"estimate": np.median(means), "interval": [means[k - 1], means[len(means) - k]]}, a)


def quantiles(rng):
    for n in (1, 2, 5, 6, 10, 31, 500):
        a = times(rng, n)
        counts = Counter({k: math.comb(n, k) for k in range(n + 1)})
        for confidence in (0.9, 0.95):
            ends, coverage = interval_of(np.sort(a), counts, confidence)
            add("median_interval", "counted from the definition", EXACT,
                {"estimate": np.median(a), "interval": ends, "coverage": coverage}, a, confidence=confidence)
        for p in (0.05, 0.5, 0.9):
            add("quantile", "numpy.quantile", EXACT, {"estimate": np.quantile(a, p)}, a, probability=p)
        add("mad", "scipy.stats.median_abs_deviation", EXACT,
            {"estimate": stats.median_abs_deviation(a), "normal_sd": stats.median_abs_deviation(a, scale="normal"),
             "median": np.median(a)}, a)
    for n, p, confidence in [(30, 0.5, 0.95), (200, 0.9, 0.95), (200, 0.05, 0.8), (1000, 0.99, 0.99)]:
        a = times(rng, n)
        ends = stats.quantile_test(a, q=1e-5, p=p).confidence_interval(confidence)
        inside = stats.binom(n, p)
        low, high = (np.searchsorted(np.sort(a), end) + 1 for end in ends)
        expect = {"interval": ends, "coverage": inside.cdf(high - 1) - inside.cdf(low - 1)}
        add("quantile", "scipy.stats.quantile_test().confidence_interval", EXACT, expect, a, probability=p,
            confidence=confidence)
