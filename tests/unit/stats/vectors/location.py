"""Vectors of the tests of location, of quantiles and of the bootstrap."""

import itertools
import math
from collections import Counter

import numpy as np
from case import ASYMPTOTIC, EXACT, SIDES, add, on_a_grid, scipy_side, times
from counted import (
    center_interval,
    counted_mann_whitney,
    counted_signs,
    counted_wilcoxon,
    interval_of,
    shift_interval,
    tails,
)
from scipy import stats
from scipy.stats import mstats


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
