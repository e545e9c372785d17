#!/usr/bin/env python3
"""Writes vectors.json: what the rows of harness/stats/table.cpp must answer, by software that is not Plumbline's.

    python3 -m venv /tmp/vectors && /tmp/vectors/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 \
        diptest==0.12.0 pymannkendall==1.4.3
    /tmp/vectors/bin/python make_vectors.py > vectors.json

Inputs come from a seed. `tolerance` is relative: 1e-9 for what is exact, 1e-6 for what is asymptotic. Where SciPy's
definition is not the one taken, the value is counted here from the definition with Python's integers (`counted_…`),
and the case says so:

- SciPy compares its first list with its second; Plumbline says b against a, so that (b, a) is passed.
- mannwhitneyu(method="exact") ignores ties: with ties PermutationMethod over all ways to deal the midranks is taken.
- wilcoxon(): zeros are dropped (zero_method="wilcox") and the approximation is corrected for continuity (SciPy's
  default is not). With ties PermutationMethod, where all signs can be listed.
- theilslopes() lacks the terms of Kendall's variance that ties in values and positions have together.
- kendalltau(method="asymptotic") is not corrected for continuity; pymannkendall is, as Kendall 1975.
- dipstat(allow_zero=True) gives 0 for values that are evenly spaced or equal; the dip is at least 1 / (2n).
- multipletests("simes-hochberg") is no test of Simes': the formula is written out.
"""

import itertools
import json
import math
import sys
import warnings
from collections import Counter
from fractions import Fraction

import diptest
import numpy as np
import pymannkendall
import scipy
import statsmodels
from scipy import optimize, special, stats
from scipy.stats import mstats
from statsmodels.stats.multitest import multipletests

EXACT, ASYMPTOTIC = 1e-9, 1e-6
SIDES = ["two_sided", "less", "greater"]
CASES = []


def scipy_side(side):
    return side.replace("_", "-")


def add(test, source, tolerance, expect, a, b=None, **options):
    """One case. `expect`: what the row must answer, by the names of the command's JSON."""
    case = {"test": test, "source": source, "tolerance": tolerance, "a": [float(x) for x in a]}
    if b is not None:
        case["b"] = [float(x) for x in b]
    case["options"] = {name: str(value) for name, value in options.items()}
    case["expect"] = {
        name: [float(v) for v in value] if np.ndim(value) else float(value) for name, value in expect.items()
    }
    assert all(np.isfinite(np.atleast_1d(v)).all() for v in case["expect"].values()), (test, expect)
    CASES.append(case)


# Inputs ---------------------------------------------------------------------------------------------------------------


def times(rng, n, shift=0.0, spread=0.03):
    """Like times of a kernel: around 10 µs, no ties."""
    return 1e-5 * (1 + shift) * np.exp(spread * rng.standard_normal(n))


def on_a_grid(rng, n, shift=0.0, steps=4):
    """Values of a coarse timer: many ties."""
    return np.round(steps * (rng.standard_normal(n) + shift)) / 4


# Counted from the definition ------------------------------------------------------------------------------------------


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
    """How often each sum of the weights with a plus comes out of all signs."""
    counts = Counter({0: 1})
    for weight in weights:
        shifted = Counter({total + weight: count for total, count in counts.items()})
        counts.update(shifted)
    return counts


def counted_choices(weights, chosen):
    """How often each sum comes out of all choices of so many of the weights."""
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


def counted_mann_whitney(a, b, side):
    if len(b) > len(a):  # fewer choices
        return counted_mann_whitney(b, a, OPPOSITE[side])
    doubled = np.rint(2 * stats.rankdata(np.concatenate([a, b]))).astype(int).tolist()
    return tails(counted_choices(doubled, len(b)), sum(doubled[len(a) :]), side)


def counted_wilcoxon(d, side):
    d = d[d != 0]
    doubled = np.rint(2 * stats.rankdata(np.abs(d))).astype(int).tolist()
    return tails(counted_signs(doubled), sum(w for w, x in zip(doubled, d) if x > 0), side)


def shift_interval(a, b, confidence):
    """Hodges and Lehmann's shift of b against a, and its exact interval."""
    differences = np.sort(np.subtract.outer(b, a).ravel())
    n = min(len(a), len(b))
    sums = counted_choices(range(1, len(a) + len(b) + 1), n)
    counts = Counter({k - n * (n + 1) // 2: c for k, c in sums.items()})
    return np.median(differences), *interval_of(differences, counts, confidence)


def center_interval(values, confidence):
    """Hodges and Lehmann's center and its exact interval."""
    means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(values, 2)])
    return np.median(means), *interval_of(means, counted_signs(range(1, len(values) + 1)), confidence)


# Tests ----------------------------------------------------------------------------------------------------------------


def welch(rng):
    for n_a, n_b in [(2, 2), (2, 7), (5, 3), (12, 30)]:
        a, b = times(rng, n_a), times(rng, n_b, 0.02, 0.08)
        for side in SIDES:
            for confidence in (0.9, 0.99):
                found = stats.ttest_ind(b, a, equal_var=False, alternative=scipy_side(side))
                both = stats.ttest_ind(b, a, equal_var=False).confidence_interval(confidence)
                expect = {"statistic": found.statistic, "p_value": found.pvalue, "df": found.df,
                          "estimate": np.mean(b) - np.mean(a), "interval": both}
                add("welch_t", "scipy.stats.ttest_ind(b, a)", ASYMPTOTIC, expect, a, b, alternative=side,
                    confidence=confidence)


def mann_whitney(rng):
    for n_a, n_b in [(1, 1), (1, 6), (3, 3), (5, 4), (8, 8), (20, 20), (20, 3), (7, 200)]:
        a, b = times(rng, n_a), times(rng, n_b, 0.01)
        estimate, ends, coverage = shift_interval(a, b, 0.95)
        for side in SIDES:
            found = stats.mannwhitneyu(b, a, alternative=scipy_side(side), method="exact")
            expect = {"statistic": found.statistic, "p_value": found.pvalue, "estimate": estimate, "interval": ends,
                      "coverage": coverage}
            add("mann_whitney", "scipy.stats.mannwhitneyu(b, a, method='exact'); interval counted", EXACT, expect, a, b,
                alternative=side)
    for n_a, n_b in [(2, 3), (4, 4), (6, 8), (9, 9)]:
        a, b = on_a_grid(rng, n_a), on_a_grid(rng, n_b, 0.5)
        for side in SIDES:
            every = stats.PermutationMethod(n_resamples=10**6)
            found = stats.mannwhitneyu(b, a, alternative=scipy_side(side), method=every)
            add("mann_whitney", "ties: scipy.stats.mannwhitneyu(b, a, method=PermutationMethod over all)", EXACT,
                {"statistic": found.statistic, "p_value": found.pvalue}, a, b, alternative=side)
    for n_a, n_b, steps in [(20, 20, 4), (20, 20, 1), (17, 20, 2), (5, 300, 4)]:
        a, b = on_a_grid(rng, n_a, 0, steps), on_a_grid(rng, n_b, 0.6, steps)
        for side in SIDES:
            add("mann_whitney", "ties: counted from the definition", EXACT,
                {"statistic": stats.mannwhitneyu(b, a).statistic, "p_value": counted_mann_whitney(a, b, side)}, a, b,
                alternative=side)
    for n_a, n_b, make in [(21, 21, times), (40, 25, on_a_grid), (60, 300, on_a_grid), (9, 25, times)]:
        a, b = make(rng, n_a), make(rng, n_b, 0.01)
        for side in SIDES:
            found = stats.mannwhitneyu(b, a, alternative=scipy_side(side), method="asymptotic")
            add("mann_whitney", "scipy.stats.mannwhitneyu(b, a, method='asymptotic')", ASYMPTOTIC,
                {"statistic": found.statistic, "p_value": found.pvalue}, a, b, alternative=side)
    a, b = times(rng, 30), times(rng, 25, 0.01)
    found = stats.mannwhitneyu(b, a, method="exact")
    add("mann_whitney", "scipy.stats.mannwhitneyu(b, a, method='exact')", EXACT, {"p_value": found.pvalue}, a, b,
        method="exact")
    found = stats.mannwhitneyu(b[:4], a[:6], method="asymptotic")
    add("mann_whitney", "scipy.stats.mannwhitneyu(b, a, method='asymptotic')", ASYMPTOTIC, {"p_value": found.pvalue},
        a[:6], b[:4], method="asymptotic")
    same = np.full(5, 2.5)
    add("mann_whitney", "all equal: p is 1 by definition", EXACT, {"p_value": 1, "statistic": 12.5, "estimate": 0},
        same, same)


def wilcoxon(rng):
    for n in (1, 2, 5, 9, 13, 25, 50):
        a, b = times(rng, n), times(rng, n, 0.01)
        d = b - a
        estimate, ends, coverage = center_interval(d, 0.95)
        for side in SIDES:
            found = stats.wilcoxon(d, alternative=scipy_side(side), method="exact")
            expect = {"statistic": found.statistic, "p_value": found.pvalue, "estimate": estimate, "interval": ends,
                      "coverage": coverage}
            add("wilcoxon", "scipy.stats.wilcoxon(b - a, method='exact'); interval counted", EXACT, expect, a, b,
                alternative=side)
    for n in (4, 8, 12):
        d = on_a_grid(rng, n, 0.4)
        d[0] = 0.75  # one that is no zero
        for side in SIDES:
            kept = d[d != 0]
            every = stats.PermutationMethod(n_resamples=10**6)
            found = stats.wilcoxon(kept, alternative=scipy_side(side), method=every)
            add("wilcoxon", "ties and zeros: scipy.stats.wilcoxon without zeros, PermutationMethod over all", EXACT,
                {"statistic": found.statistic, "p_value": found.pvalue, "zeros": n - len(kept)}, d, alternative=side)
    for n in (30, 50):
        d = on_a_grid(rng, n, 0.3)
        for side in SIDES:
            add("wilcoxon", "ties and zeros: counted from the definition", EXACT,
                {"p_value": counted_wilcoxon(d, side)}, d, alternative=side)
    for n, make in ((51, times), (80, on_a_grid), (400, on_a_grid)):
        d = make(rng, n, 0.2) - (1e-5 if make is times else 0)
        for side in SIDES:
            found = stats.wilcoxon(d, zero_method="wilcox", correction=True, alternative=scipy_side(side),
                                   method="asymptotic")
            kept = d[d != 0]
            if len(kept) <= 50:
                raise AssertionError("meant to be asymptotic")
            add("wilcoxon", "scipy.stats.wilcoxon(correction=True, method='asymptotic')", ASYMPTOTIC,
                {"statistic": found.statistic, "p_value": found.pvalue}, d, alternative=side)
    add("wilcoxon", "only zeros: p is 1 by definition", EXACT, {"p_value": 1, "statistic": 0, "zeros": 3}, [0, 0, 0])


class MersenneTwister64:
    """std::mt19937_64 (Matsumoto & Nishimura 2000; ISO C++, [rand.predef])."""

    def __init__(self, seed):
        self.state = [seed & (2**64 - 1)]
        for i in range(1, 312):
            last = self.state[-1]
            self.state.append((6364136223846793005 * (last ^ (last >> 62)) + i) & (2**64 - 1))
        self.next = 312

    def bits(self):
        if self.next == 312:
            s = self.state
            for i in range(312):
                x = (s[i] & 0xFFFFFFFF80000000) | (s[(i + 1) % 312] & 0x7FFFFFFF)
                s[i] = s[(i + 156) % 312] ^ (x >> 1) ^ (0xB5026F5AA96619E9 if x & 1 else 0)
            self.next = 0
        x = self.state[self.next]
        self.next += 1
        x ^= (x >> 29) & 0x5555555555555555
        x ^= (x << 17) & 0x71D67FFFEDA60000
        x ^= (x << 37) & 0xFFF7EEE000000000
        return x ^ (x >> 43)

    def below(self, count):
        while True:
            x = self.bits()
            if x - x % count + count <= 2**64:
                return x % count


def sign_flip(rng):
    def by_mean(d, axis=-1):
        return np.mean(d, axis=axis)

    for n in (2, 6, 12):
        a, b = times(rng, n), times(rng, n, 0.01)
        for side in SIDES:
            found = stats.permutation_test((b - a,), by_mean, permutation_type="samples", n_resamples=np.inf,
                                           alternative=scipy_side(side))
            add("sign_flip", "scipy.stats.permutation_test(b - a, samples, all)", EXACT,
                {"statistic": found.statistic, "p_value": found.pvalue}, a, b, alternative=side)
    for n in (10, 24, 40):  # whole quarters: sums are exact, and many are equal
        d = on_a_grid(rng, n, 0.35)
        kept = np.rint(4 * d[d != 0]).astype(int)
        for side in SIDES:
            counts = counted_signs(np.abs(kept).tolist())
            add("sign_flip", "ties and zeros: counted from the definition", EXACT,
                {"p_value": tails(counts, int(kept[kept > 0].sum()), side), "statistic": np.mean(d)}, d,
                alternative=side)
    for n, seed, resamples in ((45, 7, 999), (130, 12345, 500)):
        d = times(rng, n, 0.01) - 1e-5
        twister, sizes, seen = MersenneTwister64(seed), np.abs(d), d[d > 0].sum()
        less = greater = 1
        for _ in range(resamples):
            words = [twister.bits() for _ in range((n + 63) // 64)]
            drawn = sum(size for i, size in enumerate(sizes) if words[i // 64] >> (i % 64) & 1)
            less += drawn <= seen * (1 + 1e-13)
            greater += drawn >= seen * (1 - 1e-13)
        for side, count in (("less", less), ("greater", greater), ("two_sided", min(2 * min(less, greater), resamples + 1))):
            add("sign_flip", "Monte Carlo with the signs of std::mt19937_64", EXACT,
                {"p_value": count / (resamples + 1)}, d, method="monte_carlo", seed=seed, resamples=resamples,
                alternative=side)
    add("sign_flip", "only zeros: p is 1 by definition", EXACT, {"p_value": 1, "statistic": 0}, [0, 0])


def hodges_lehmann(rng):
    for n in (1, 3, 6, 17, 50):
        for confidence in (0.8, 0.95, 0.999):
            a = times(rng, n) if n % 2 else on_a_grid(rng, n)
            estimate, ends, coverage = center_interval(a, confidence)
            add("hodges_lehmann", "counted from the definition", EXACT,
                {"estimate": estimate, "interval": ends, "coverage": coverage}, a, confidence=confidence)
    for n_a, n_b in [(1, 2), (3, 3), (4, 9), (20, 20), (8, 120)]:
        for confidence in (0.8, 0.9, 0.95, 0.999):
            a, b = times(rng, n_a), times(rng, n_b, 0.02)
            estimate, ends, coverage = shift_interval(a, b, confidence)
            add("hodges_lehmann", "counted from the definition", EXACT,
                {"estimate": estimate, "interval": ends, "coverage": coverage}, a, b, confidence=confidence)
    for n in (51, 200):  # ranks by the normal approximation, corrected for continuity
        a, b = times(rng, n), times(rng, n - 10, 0.01)
        means = np.sort([(x + y) / 2 for x, y in itertools.combinations_with_replacement(a, 2)])
        k = math.floor(n * (n + 1) / 4 + 0.5 + stats.norm.ppf(0.025) * math.sqrt(n * (n + 1) * (2 * n + 1) / 24))
        add("hodges_lehmann", "normal approximation written out", EXACT,
            {"estimate": np.median(means), "interval": [means[k - 1], means[len(means) - k]]}, a)
        m, gaps = n - 10, np.sort(np.subtract.outer(b, a).ravel())
        k = math.floor(n * m / 2 + 0.5 + stats.norm.ppf(0.025) * math.sqrt(n * m * (n + m + 1) / 12))
        add("hodges_lehmann", "normal approximation written out", EXACT,
            {"estimate": np.median(gaps), "interval": [gaps[k - 1], gaps[len(gaps) - k]]}, a, b)


# Estimates ------------------------------------------------------------------------------------------------------------


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
            if n > 1:
                [smooth] = mstats.hdquantiles(a, [p])
                add("harrell_davis", "scipy.stats.mstats.hdquantiles", EXACT, {"estimate": smooth}, a, probability=p)
        add("mad", "scipy.stats.median_abs_deviation", EXACT,
            {"estimate": stats.median_abs_deviation(a), "normal_sd": stats.median_abs_deviation(a, scale="normal"),
             "median": np.median(a)}, a)
    for n, p, confidence in [(30, 0.5, 0.95), (200, 0.9, 0.95), (200, 0.05, 0.8), (1000, 0.99, 0.99)]:
        a = times(rng, n)
        ends = stats.quantile_test(a, q=1e-5, p=p).confidence_interval(confidence)
        inside = stats.binom(n, p)
        low, high = (np.searchsorted(np.sort(a), end) + 1 for end in ends)
        expect = {"interval": ends, "coverage": inside.cdf(high - 1) - inside.cdf(low - 1)}
        for test in ("quantile", "harrell_davis"):
            add(test, "scipy.stats.quantile_test().confidence_interval", EXACT, expect, a, probability=p,
                confidence=confidence)


class Planted(np.random.Generator):
    """A generator whose integers are those of std::mt19937_64."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(0))
        self.twister = MersenneTwister64(seed)

    def integers(self, low, high=None, size=None, **_):
        assert low == 0
        return np.array([self.twister.below(int(high)) for _ in range(math.prod(size))]).reshape(size)


def bootstrap(rng):
    centers = {"mean": np.mean, "median": np.median}
    for n, m, seed in [(2, 3, 1), (9, 9, 5), (30, 17, 2**40)]:
        for of, center in centers.items():
            for kind, method in (("percentile", "percentile"), ("bca", "BCa")):
                a, b = times(rng, n), times(rng, m, 0.03)
                options = {"confidence_level": 0.9, "n_resamples": 300, "method": method, "batch": 1}
                found = stats.bootstrap((a,), center, rng=Planted(seed), **options)
                ends = found.confidence_interval
                given = {"of": of, "kind": kind, "confidence": 0.9, "resamples": 300, "seed": seed}
                if np.isfinite(ends).all():
                    add("bootstrap", f"scipy.stats.bootstrap({method}), drawn by std::mt19937_64", EXACT,
                        {"estimate": center(a), "interval": ends, "standard_error": found.standard_error}, a, **given)
                found = stats.bootstrap((a, b), lambda x, y, axis: center(y, axis=axis) - center(x, axis=axis),
                                        rng=Planted(seed), vectorized=True, **options)
                ends = found.confidence_interval
                if np.isfinite(ends).all():
                    add("bootstrap", f"scipy.stats.bootstrap({method}), drawn by std::mt19937_64", EXACT,
                        {"estimate": center(b) - center(a), "interval": ends,
                         "standard_error": found.standard_error}, a, b, **given)
    add("bootstrap", "all equal: no width by definition", EXACT,
        {"estimate": 3, "interval": [3, 3], "standard_error": 0}, [3, 3, 3])


# Trends ---------------------------------------------------------------------------------------------------------------


def kendall_variance(x, y):
    """Kendall 1975, with the terms of ties in both."""
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
    """Of all orders of the values: how many pairs fall. Put in one by one, the smallest first, among those before."""
    counts, before = Counter({0: 1}), 0
    for _, group in sorted(Counter(values).items()):
        # Ways to put `group` equal values among `before` smaller ones: choices of places.
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
            if n <= 7:  # in truth all orders
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


# Modes ----------------------------------------------------------------------------------------------------------------


def dip(rng):
    samples = [rng.uniform(size=n) for n in (4, 5, 7, 10, 33, 100, 1000)]
    samples += [rng.standard_normal(n) for n in (6, 50, 2000)]
    samples += [np.concatenate([rng.standard_normal(n), rng.standard_normal(n) + gap])
                for n, gap in ((5, 5), (20, 4), (20, 2), (200, 3), (1000, 2.6))]
    samples += [rng.exponential(size=200) ** 3, on_a_grid(rng, 30), on_a_grid(rng, 300), np.repeat([1.0, 2.0], [7, 3]),
                np.repeat([1.0, 2.0, 3.0], [5, 1, 6]), np.round(rng.exponential(size=60) * 3)]
    samples += [np.round(rng.standard_normal(n) * scale) for n in (4, 9, 25, 60) for scale in (0.6, 2, 6)]
    for x in samples:
        add("dip", "diptest.dipstat", EXACT, {"statistic": diptest.dipstat(x, allow_zero=False)}, x)
    for x in samples[:13]:  # without ties
        n = len(x)
        if n > 200 or diptest.dipstat(x) <= 0.5 / n:
            continue  # slow; the table has a row for every n below 11, where diptest interpolates
        _, p = diptest.diptest(x, boot_pval=True, n_boot=200_000, n_threads=1, seed=n)
        if p > 0.02:
            add("dip", "diptest.diptest(boot_pval=True), good to a few percent", 0.07, {"p_value": p}, x)
    for n in (1, 2, 3, 10):
        add("dip", "at least 1 / (2n) by definition", EXACT, {"statistic": 0.5 / n, "p_value": 1}, [4.0] * n)
        add("dip", "at least 1 / (2n) by definition", EXACT, {"statistic": 0.5 / n, "p_value": 1}, range(n))


def shares_of_modes(x, h):
    """Modes by the rules of stats/modes.h, on SciPy's density: the shares of the values that they hold."""
    grid = np.linspace(x.min() - h, x.max() + h, 20001)
    density = stats.gaussian_kde(x, h / np.std(x, ddof=1))(grid)
    tops = [i for i in range(1, len(grid) - 1) if density[i - 1] < density[i] >= density[i + 1]]
    while len(tops) > 1:
        valleys = [a + int(np.argmin(density[a:b])) for a, b in zip(tops, tops[1:])]
        depths = [density[v] / min(density[a], density[b]) for v, a, b in zip(valleys, tops, tops[1:])]
        shares = np.histogram(x, [-np.inf, *grid[valleys], np.inf])[0] / len(x)
        if max(depths) > 0.9:
            i = int(np.argmax(depths))
            tops.pop(i if density[tops[i]] < density[tops[i + 1]] else i + 1)
        elif min(shares) < max(0.05, 2 / len(x)):
            tops.pop(int(np.argmin(shares)))
        else:
            return shares
    return np.array([1.0])


def modes(rng):
    for parts in ([(0, 60)], [(0, 40), (6, 40)], [(0, 30), (5, 60), (11, 30)], [(0, 200), (30, 20)], [(0, 100), (9, 2)]):
        x = np.concatenate([rng.standard_normal(n) + at for at, n in parts])
        h = 0.9 * min(np.std(x, ddof=1), stats.iqr(x) / 1.34) * len(x) ** -0.2
        shares = shares_of_modes(x, h)
        add("modes", "maxima of scipy.stats.gaussian_kde", EXACT,
            {"estimate": len(shares), "bandwidth": h, "shares": shares}, x)
        shares = shares_of_modes(x, h / 3)
        add("modes", "maxima of scipy.stats.gaussian_kde", EXACT, {"estimate": len(shares), "shares": shares}, x,
            bandwidth=h / 3)
    add("modes", "all equal: one mode by definition", EXACT, {"estimate": 1, "positions": [2], "shares": [1]}, [2, 2, 2])


# Many tests -----------------------------------------------------------------------------------------------------------


def multiplicity(rng):
    lists = [[0.03], [0.0, 1.0], rng.uniform(size=20), np.concatenate([rng.uniform(size=200), rng.uniform(size=20) ** 8]),
             np.round(rng.uniform(size=40), 1), [0.01, 0.02, 0.03, 0.04, 0.05], [1.0, 1.0, 1.0], [0.5, 0.0, 0.0]]
    for p in lists:
        p = np.asarray(p, dtype=float)
        for test, method in (("bh", "fdr_bh"), ("by", "fdr_by"), ("holm", "holm")):
            add(test, f"statsmodels multipletests({method})", EXACT, {"p_value": multipletests(p, method=method)[1]}, p)
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


def main():
    warnings.simplefilter("ignore")
    parts = [welch, mann_whitney, wilcoxon, sign_flip, hodges_lehmann, quantiles, bootstrap, theil_sen, mann_kendall,
             dip, modes, multiplicity, moderation]
    for i, part in enumerate(parts):
        part(np.random.default_rng([1945, i]))  # a seed of its own: a case more changes no other part
        print(part.__name__, len(CASES), file=sys.stderr)
    made_by = {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__,
               "diptest": diptest.__version__, "pymannkendall": "1.4.3"}
    print('{"made_by": ' + json.dumps(made_by) + ',\n"cases": [')
    print(",\n".join(json.dumps(case, allow_nan=False) for case in CASES))
    print("]}")


if __name__ == "__main__":
    main()
