"""Vectors for trends and for methods over many cases."""

import itertools
import math
from collections import Counter

import numpy as np
import pymannkendall
from case import ASYMPTOTIC, EXACT, SIDES, add, on_a_grid, times
from counted import OPPOSITE, counted_choices, interval_of, tails
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests


def kendall_variance(x, y):
    """Kendall 1975, with the terms for ties in both."""
    n = len(x)
    t, u = (np.unique(v, return_counts=True)[1].astype(float) for v in (x, y))
    single = [np.sum(g * (g - 1) * (2 * g + 5)) for g in (t, u)]
    triple = np.sum(t * (t - 1) * (t - 2)) * np.sum(u * (u - 1) * (u - 2)) / (9 * n * (n - 1) * (n - 2))
    double = np.sum(t * (t - 1)) * np.sum(u * (u - 1)) / (2 * n * (n - 1))
    return (n * (n - 1) * (2 * n + 5) - sum(single)) / 18 + triple + double


def slope_expectation(found):
    return {"estimate": found.slope, "intercept": found.intercept, "interval": [found.low_slope, found.high_slope]}


def theil_sen(rng):
    for n in (11, 30, 150):
        y = times(rng, n) + 1e-8 * np.arange(n)
        x = np.sort(rng.uniform(0, 100, n))
        for confidence in (0.8, 0.95):
            found = stats.theilslopes(y, alpha=confidence)
            add("theil_sen", "scipy.stats.theilslopes", EXACT, slope_expectation(found), y, confidence=confidence)
            found = stats.theilslopes(y, x, alpha=confidence)
            add("theil_sen", "scipy.stats.theilslopes", EXACT, slope_expectation(found), y, x, confidence=confidence)
    for n in (12, 40):  # ties on one side
        y, x = on_a_grid(rng, n), rng.permutation(np.repeat(np.arange(n / 2), 2))
        found = stats.theilslopes(y, np.arange(n), alpha=0.9)
        add("theil_sen", "ties in the values: scipy.stats.theilslopes", EXACT, slope_expectation(found), y, confidence=0.9)
        z = times(rng, n)
        found = stats.theilslopes(z, x, alpha=0.9)
        add("theil_sen", "ties in the positions: scipy.stats.theilslopes", EXACT, slope_expectation(found), z, x,
            confidence=0.9)
        slopes = np.sort([(y[j] - y[i]) / (x[j] - x[i]) for i in range(n) for j in range(i + 1, n) if x[i] != x[j]])
        k = math.floor((len(slopes) + stats.norm.ppf(0.05) * math.sqrt(kendall_variance(x, y))) / 2 + 0.5)
        add("theil_sen", "ties in both: variance of Kendall 1975 written out", EXACT,
            {"estimate": np.median(slopes), "interval": [slopes[k - 1], slopes[len(slopes) - k]]}, y, x, confidence=0.9)
    for n in (2, 3, 5, 8, 10):
        y = times(rng, n)
        slopes = np.sort([(y[j] - y[i]) / (j - i) for i in range(n) for j in range(i + 1, n)])
        counts = counted_inversions(range(n))
        ends, coverage = interval_of(slopes, counts, 0.9)
        add("theil_sen", "counted from the definition", EXACT,
            {"estimate": np.median(slopes), "interval": ends, "coverage": coverage}, y, confidence=0.9)


def counted_inversions(values):
    """Over all orders of the values: how many pairs fall. Inserts values one by one, smallest first, among earlier
    ones."""
    counts, before = Counter({0: 1}), 0
    for _, group in sorted(Counter(values).items()):
        # Ways to insert `group` equal values among `before` smaller ones: choices of places.
        placed = counted_choices(range(before + group), group)
        least = group * (group - 1) // 2
        merged = Counter()
        for k, c in counts.items():
            for total, ways in placed.items():
                merged[k + before * group - (total - least)] += c * ways
        counts, before = merged, before + group
    return counts


def mann_kendall(rng):
    for n in (2, 4, 7, 10):
        for make in (times, on_a_grid):
            y = make(rng, n)
            fallen = sum(y[i] > y[j] for i in range(n) for j in range(i + 1, n))
            risen = sum(y[i] < y[j] for i in range(n) for j in range(i + 1, n))
            if n <= 7:  # really all orders
                every = Counter(sum(p[i] > p[j] for i in range(n) for j in range(i + 1, n))
                                for p in itertools.permutations(y))
                shared = math.prod(math.factorial(c) for c in Counter(y).values())
                assert {k: c // shared for k, c in every.items()} == dict(+counted_inversions(y))
            for side in SIDES:
                add("mann_kendall", "all orders counted", EXACT,
                    {"statistic": risen - fallen, "p_value": tails(counted_inversions(y), fallen, OPPOSITE[side])}, y,
                    alternative=side)
    for n in (20, 33):
        y = times(rng, n) + 1e-8 * np.arange(n)
        found = stats.kendalltau(np.arange(n), y, method="exact")
        add("mann_kendall", "scipy.stats.kendalltau(method='exact')", EXACT,
            {"p_value": found.pvalue, "tau": found.statistic}, y, method="exact")
    for n, make in [(11, times), (40, times), (40, on_a_grid), (200, on_a_grid)]:
        y = make(rng, n) + (1e-9 * np.arange(n) if make is times else 0)
        found = pymannkendall.original_test(y)
        add("mann_kendall", "pymannkendall.original_test", ASYMPTOTIC,
            {"statistic": found.s, "p_value": found.p, "tau": found.Tau, "variance": found.var_s,
             "estimate": found.slope}, y)
    for n, rho in [(30, 0.6), (80, 0.3), (150, 0.8)]:
        noise = rng.standard_normal(n)
        for i in range(1, n):
            noise[i] += rho * noise[i - 1]
        y = noise + 0.01 * np.arange(n)
        found = pymannkendall.hamed_rao_modification_test(y)
        add("mann_kendall", "pymannkendall.hamed_rao_modification_test", ASYMPTOTIC,
            {"statistic": found.s, "p_value": found.p, "variance": found.var_s}, y, autocorrelation="hamed_rao")
        left = stats.rankdata(y - np.arange(1, n + 1) * found.slope) - (n + 1) / 2
        inflation = 1
        for lag in range(1, n):
            correlation = left[lag:] @ left[:-lag] / (left @ left)
            if abs(correlation) <= stats.norm.ppf(0.975) / math.sqrt(n):
                break
            inflation += 2 * (n - lag) * (n - lag - 1) * (n - lag - 2) * correlation / (n * (n - 1) * (n - 2))
        variance = max(1, inflation) * pymannkendall.original_test(y).var_s
        z = max(abs(found.s) - 1, 0) / math.sqrt(variance)
        add("mann_kendall", "formula written out", ASYMPTOTIC,
            {"variance": variance, "p_value": 2 * stats.norm.sf(z)}, y, autocorrelation="leading_lags")
    add("mann_kendall", "all equal: p is 1 by definition", EXACT, {"p_value": 1, "statistic": 0, "estimate": 0},
        [1.5] * 12)


# Many tests -----------------------------------------------------------------------------------------------------------


def multiplicity(rng):
    lists = [[0.03], [0.0, 1.0], rng.uniform(size=20), np.concatenate([rng.uniform(size=200), rng.uniform(size=20) ** 8]),
             np.round(rng.uniform(size=40), 1), [0.01, 0.02, 0.03, 0.04, 0.05], [1.0, 1.0, 1.0], [0.5, 0.0, 0.0]]
    for p in lists:
        p = np.asarray(p, dtype=float)
        add("bh", "statsmodels multipletests(fdr_bh)", EXACT, {"p_value": multipletests(p, method="fdr_bh")[1]}, p)
        simes = min(1.0, np.min(np.sort(p) * len(p) / np.arange(1, len(p) + 1)))
        add("simes", "formula written out", EXACT, {"p_value": simes}, p)


def moderation(rng):
    dfs = np.array([4.0] * 20 + [2.0] * 5 + [7.0] * 5)
    variances = 1e-5 / rng.chisquare(5, size=30) * rng.chisquare(dfs) / dfs
    logs = np.log(variances) - special.digamma(dfs / 2) + np.log(dfs / 2)
    excess = np.var(logs, ddof=1) - np.mean(special.polygamma(1, dfs / 2))
    half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-9, 1e12, xtol=1e-300, rtol=1e-15)
    prior = np.exp(np.mean(logs) + special.digamma(half) - np.log(half))
    add("moderation", "limma's fitFDist (Smyth 2004) written out", EXACT,
        {"estimate": prior, "prior_df": 2 * half,
         "moderated": (2 * half * prior + dfs * variances) / (2 * half + dfs)}, variances, dfs)
