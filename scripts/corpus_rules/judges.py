"""Rules of other programs, and a plain one. Each is one function."""

import math
import statistics

from scipy import stats

from .rule import Absent, rule, slower_series

SIGNIFICANT = 0.05  # benchstat's -alpha
NOISY_BELOW = 5  # samples with which NVBench knows no noise
CLEAR_GAP = 0.005  # of nvbench-compare-robust
DISCOVERIES = 0.05  # share of false alarms among the alarms of the plain rule
FLOOR = 0.01  # smallest change that the plain rule calls slower


@rule(
    "nvbench-compare-legacy",
    "NVBench: mean of all samples against the newest accepted night; slower if the difference exceeds "
    "the smaller of the two relative standard deviations",
)
@slower_series
def nvbench_legacy(baseline, past, tonight, one):
    old, new = baseline[-1].samples(one), tonight.samples(one)
    before, now = statistics.fmean(old), statistics.fmean(new)
    noises = [
        statistics.stdev(samples) / mean
        for samples, mean in ((old, before), (new, now))
        if len(samples) >= NOISY_BELOW
    ]
    return any(noises) and (now - before) / before > min(noise for noise in noises if noise)


@rule(
    "nvbench-compare-robust",
    "NVBench: [minimum, third quartile] of all samples against the newest accepted night; slower if it lies 0.5 % above "
    "that night's, in seconds and in cycles",
)
@slower_series
def nvbench_robust(baseline, past, tonight, one):
    def is_above(old, new):
        if any(map(math.isnan, [*old, *new])):  # a clock is unknown: AMBG
            return False
        third_quartile = sorted(old)[(75 * (len(old) - 1) + 50) // 100]
        return min(new) >= third_quartile * (1 + CLEAR_GAP)

    old = baseline[-1]
    return is_above(old.samples(one), tonight.samples(one)) and is_above(old.cycles(one), tonight.cycles(one))


@rule(
    "benchstat",
    "means of visits against those of the accepted nights; slower if the median is larger and the Mann-Whitney U test "
    "has p ≤ 0.05",
)
@slower_series
def benchstat(baseline, past, tonight, one):
    old = [mean for night in baseline for mean in night.visit_means(one)]
    new = tonight.visit_means(one)
    if statistics.median(new) <= statistics.median(old):
        return False
    method = "exact" if len(set(old + new)) == len(old + new) else "asymptotic"
    return stats.mannwhitneyu(old, new, alternative="two-sided", method=method).pvalue <= SIGNIFICANT


@rule(
    "t on history",
    "Student's t of tonight's log estimate among the earlier nights, one-sided; Benjamini-Hochberg over the night at "
    "5 %; change of at least 1 %",
)
def t_on_history(baseline, past, tonight, series):
    found = {}
    for one in series:
        earlier = [math.log(night.estimate(one)) for night in past]
        change = math.log(tonight.estimate(one)) - statistics.fmean(earlier)
        error = statistics.stdev(earlier) * math.sqrt(1 + 1 / len(earlier))
        p = stats.t.sf(change / error, len(earlier) - 1) if error else float(change <= 0)
        found[one] = (p, change)
    last = 0.0
    for rank, (p, _) in enumerate(sorted(found.values()), 1):
        if p <= DISCOVERIES * rank / len(found):
            last = p
    return [one for one, (p, change) in found.items() if p <= last and math.expm1(change) >= FLOOR]


@rule(
    "otava",
    "Apache Otava's change points of the nights' estimates (window 50, p 0.001, no least change); slower if tonight "
    "brings a change point upwards that it did not report before",
)
def otava(baseline, past, tonight, series):
    try:
        from otava.series import Metric, Series
    except ImportError:
        raise Absent("the package apache-otava is not installed for this Python")

    def rises(nights):
        names = {str(number): one for number, one in enumerate(series)}
        data = {name: [night.estimate(one) for night in nights] for name, one in names.items()}
        times = [night.number for night in nights]
        analyzed = Series("corpus", None, times, {name: Metric() for name in names}, data, {}).analyze()
        return {
            (names[name], point.index)
            for name, points in analyzed.change_points.items()
            for point in points
            if point.forward_change_percent() > 0
        }

    return {one for one, _ in rises([*past, tonight]) - rises(past)}
