"""Recomputes the screen of a comparison from the results.csv of its two runs, by the formulas of
docs/explanation/formulas.md without any of Plumbline's code. For comparisons without earlier runs, in which the run
moved as one.

recompute.py BASELINE CANDIDATE COMPARISON.json

Prints how many numbers agree to 1e-9, and exits with 1 if one does not.
"""

import csv
import json
import math
import statistics
import sys

NORMAL = statistics.NormalDist()
TOLERANCE = 1e-9


# ---- numbers -------------------------------------------------------------------------------------


def polygamma(x):
    """digamma(x), trigamma(x): by recurrence up to x ≥ 20, then the asymptotic series."""
    first = second = 0.0
    while x < 20:
        first -= 1 / x
        second += 1 / x**2
        x += 1
    bernoulli = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6]
    first += math.log(x) - 1 / (2 * x) - sum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(bernoulli, 1))
    second += 1 / x + 1 / (2 * x**2) + sum(b / x ** (2 * k + 1) for k, b in enumerate(bernoulli, 1))
    return first, second


def bisect(function, low, high):
    """The root of a decreasing function."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return (low + high) / 2


def incomplete_beta(a, b, x):
    """Regularized incomplete beta function, by the continued fraction (DLMF 8.17.22) with Lentz's method."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + term * d)
            c = 1 + term / c
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * value


def student_p(t, df):
    return incomplete_beta(df / 2, 0.5, df / (df + t * t))


def student_quantile(probability, df):
    return bisect(lambda t: student_p(t, df) - 2 * (1 - probability), 0, 1e6)


def quantile(values, probability):
    """Type 7 of Hyndman & Fan."""
    values = sorted(values)
    place = probability * (len(values) - 1)
    below = int(place)
    if below == place:
        return values[below]
    return values[below] + (place - below) * (values[below + 1] - values[below])


def quantile_interval(values, probability, confidence):
    """Interval of order statistics: low, high."""
    n, risk = len(values), (1 - confidence) / 2 * (1 + 1e-12)
    terms = [math.comb(n, k) * probability**k * (1 - probability) ** (n - k) for k in range(n + 1)]
    at_most = [math.fsum(terms[: k + 1]) for k in range(n + 1)]
    above = [math.fsum(terms[k + 1 :]) for k in range(n + 1)]
    low = max(1, next((k for k in range(n) if at_most[k] > risk), n))
    high = min(n, 1 + next((k for k in range(n) if above[k] <= risk), n))
    return sorted(values)[low - 1], sorted(values)[high - 1]


def benjamini_hochberg(p_values):
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted, smallest = [0.0] * len(order), 1.0
    for rank in range(len(order), 0, -1):
        smallest = min(smallest, p_values[order[rank - 1]] * len(order) / rank)
        adjusted[order[rank - 1]] = smallest
    return adjusted


# ---- the steps of docs/explanation/formulas.md ---------------------------------------------------


def visits_of(run):
    """Step 1: the visits by case and metric: (mean of the blocks' medians, its relative variance, blocks)."""
    csv.field_size_limit(sys.maxsize)
    found = {}
    with open(f"{run}/results.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["status"] not in ("OK", "UNVERIFIED") or not row["samples"]:
            continue
        causes = row.get("block_causes", "").split(";")
        medians = [
            statistics.median(map(float, block.split(";")))
            for i, block in enumerate(row["samples"].split("|"))
            if not causes[i : i + 1] or not causes[i]
        ]
        if not medians:
            continue
        mean = math.fsum(medians) / len(medians)
        spread = statistics.variance([m / mean for m in medians]) if len(medians) > 1 else 0
        found.setdefault((row["case"], row["metric"]), []).append((mean, spread, len(medians)))
    return found


class Change:
    """Step 2: the change of one case × metric."""

    def __init__(self, finding, before, now):
        self.finding = finding
        sides = [[math.log(mean) for mean, _, _ in side] for side in (before, now)]
        counts = [len(side) for side in sides]
        self.change = statistics.fmean(sides[1]) - statistics.fmean(sides[0])
        self.df = sum(counts) - 2
        squares = sum((n - 1) * statistics.variance(logs) for n, logs in zip(counts, sides, strict=True) if n > 1)
        self.variance = squares / self.df
        self.block_floor = statistics.fmean(spread / blocks for _, spread, blocks in before + now)
        self.inverse_visits = sum(1 / n for n in counts)


def shift_of(changes):
    """Step 3: the shift of all cases, and its standard error; none for fewer than 12 cases."""
    cases = {}
    for c in changes:
        if c.finding["unit"] == "s":
            cases.setdefault((c.finding["suite"], c.finding["case"]), []).append(c.change)
    all_changes = [statistics.median(of_case) for of_case in cases.values()]
    if len(all_changes) < 12:
        return 0, 0
    near = all_changes
    for _ in range(4):
        value = statistics.median(near)
        sd = statistics.median(abs(x - value) for x in near) / NORMAL.inv_cdf(0.75)
        near = [x for x in all_changes if abs(x - value) <= 3 * sd + 1e-9]
    return value, math.sqrt(math.pi / 2) * sd / math.sqrt(len(near))


def moderate(group):
    """Step 4 (Smyth 2004): sets the variance of a visit and its degrees of freedom."""
    positive = [c.variance for c in group if c.variance > 0]
    if len(group) < 2 or not positive:
        prior_df, prior_variance = 0, 0
    else:
        smallest = 1e-5 * statistics.median(positive)
        bias = {d: polygamma(d / 2)[0] - math.log(d / 2) for d in {c.df for c in group}}
        logs = [math.log(max(c.variance, smallest)) - bias[c.df] for c in group]
        excess = statistics.variance(logs) - statistics.fmean(polygamma(c.df / 2)[1] for c in group)
        center = statistics.fmean(logs)
        if excess <= 0:
            prior_df, prior_variance = math.inf, math.exp(center)
        else:
            half = math.exp(bisect(lambda y: polygamma(math.exp(y))[1] - excess, -30, 30))
            prior_df = 2 * half
            prior_variance = math.exp(center + polygamma(half)[0] - math.log(half))
    for c in group:
        shrunk = (
            prior_variance
            if math.isinf(prior_df)
            else (prior_df * prior_variance + c.df * c.variance) / (prior_df + c.df)
        )
        c.visit_variance = max(shrunk, c.block_floor)
        c.visit_df = min(prior_df + c.df, sum(o.df for o in group))


def moderate_all(changes):
    metrics, families = {}, {}
    for c in changes:
        metrics.setdefault(c.finding["metric"], []).append(c)
        families.setdefault((c.finding["metric"], c.finding["op"]), []).append(c)
    for group in metrics.values():
        moderate(group)
    for (metric, _), family in families.items():
        if 8 <= len(family) < len(metrics[metric]):
            moderate(family)


def set_errors(changes, rule, shift, shift_error):
    """Step 5: the variance of each change, including the assumed difference between whole runs."""
    for c in changes:
        visits = c.visit_variance * c.inverse_visits
        c.rule = 2 * rule["run_sd"] ** 2
        c.noise = visits + c.rule
        spread = visits**2 / c.visit_df + c.rule**2 / rule["run_df"]
        c.noise_df = c.noise**2 / spread if c.rule > 0 else c.visit_df
        is_time = c.finding["unit"] == "s"
        c.shift, c.shift_error = (shift, shift_error) if is_time else (0, 0)


def p_value(c, noise):
    left = c.change - c.shift
    return student_p(0 if left == 0 else left / math.sqrt(noise + c.shift_error**2), c.noise_df)


def size_of(p):
    return 0 if p >= 1 else -NORMAL.inv_cdf(max(p, 1e-300) / 2)


def size_at(probability):
    return NORMAL.inv_cdf((1 + probability) / 2)


def narrowed_share(group):
    """Step 6: the largest share of the rule's variance that the changes do not refute."""

    def is_refuted(share):
        sizes = [size_of(p_value(c, c.noise - (1 - share**2) * c.rule)) for c in group]
        return quantile_interval(sizes, 2 / 3, 0.98)[1] < size_at(2 / 3) and quantile(sizes, 0.9) < size_at(0.9)

    if len(group) < 12 or any(c.rule == 0 for c in group) or not is_refuted(0.5):
        return 1
    refuted, stands = 0.5, 0
    for _ in range(10):
        share = (refuted + stands) / 2
        refuted, stands = (share, stands) if is_refuted(share) else (refuted, share)
    return refuted


def widening(group, rule):
    """Step 6: the factor of all errors."""
    factors = []
    for is_above in (True, False):
        side = [size_of(p_value(c, c.noise)) for c in group]
        # The sign is that of the change; a p value of 1 is on the side below.
        side = [s for s, c in zip(side, group, strict=True) if (math.copysign(s, c.change - c.shift) > 0) == is_above]
        factor = 1
        if len(side) >= 40 and quantile_interval(side, 1 / 3, 0.98)[0] / size_at(1 / 3) > math.sqrt(1.1):
            factor = quantile(side, 1 / 3) / size_at(1 / 3)
        factors.append(factor)
    factor = min(factors)
    middle = quantile([math.sqrt(c.noise + c.shift_error**2) for c in group], 0.5)
    return 1 if factor * middle > 2 * math.log1p(rule["effect_floor"]) else factor


def fit(changes, rule):
    metrics = {}
    for c in changes:
        c.narrowed = c.widened = 1
        if c.finding["unit"] == "s":
            metrics.setdefault(c.finding["metric"], []).append(c)
    for group in metrics.values():
        share = narrowed_share(group)
        factor = widening(group, rule) if share == 1 else 1
        for c in group:
            c.narrowed, c.widened = share, factor
            c.noise = (c.noise - (1 - share**2) * c.rule) * factor**2


def adjust(changes, rate):
    """Step 8 (Benjamini & Bogomolov 2014)."""
    families = {}
    for c in changes:
        families.setdefault((c.finding["op"], c.finding["backend"]), []).append(c)
    within = {key: benjamini_hochberg([c.p for c in group]) for key, group in families.items()}
    of_families = dict(zip(within, benjamini_hochberg([min(p) for p in within.values()]), strict=True))
    factor = len(families) / max(1, sum(p <= rate for p in of_families.values()))
    for key, group in families.items():
        for c, p in zip(group, within[key], strict=True):
            c.adjusted = max(of_families[key], min(1, p * factor))
    found = sum(c.adjusted <= rate for c in changes)
    return rate * max(found, 1) / len(changes)


def hold_against_shift(c, rule, floor, margin):
    """Step 9a: two runs cannot tell whether the run or the case moved."""
    half = student_quantile(0.5 + rule["confidence"] / 2, c.noise_df) * math.sqrt(c.noise)
    least = max(half, floor if abs(c.shift) >= floor else 0)
    is_held = {
        "SAME": abs(c.shift) > math.log1p(rule["shift_floor"]) and abs(c.change) + half >= margin,
        "SLOWER": c.change <= least,
        "FASTER": c.change >= -least,
    }
    if is_held.get(c.verdict):
        c.verdict = "UNRESOLVED"


def decide(c, level, rule):
    """Steps 7 and 9."""
    left = c.change - c.shift
    c.error = math.sqrt(c.noise + c.shift_error**2)
    half = student_quantile(0.5 + rule["confidence"] / 2, c.noise_df) * c.error
    floor = math.log1p(c.finding["threshold"])
    c.least = max(floor - NORMAL.inv_cdf(0.9) * c.error, floor / 2)
    c.low, c.high = math.expm1(left - half), math.expm1(left + half)
    held = student_quantile(1 - level / 2, c.noise_df) * c.error
    c.detectable = math.expm1(max(held, half, c.least) + NORMAL.inv_cdf(0.8) * c.error)
    margin = math.log1p(rule["margin"])
    counts = c.adjusted <= rule["false_discovery_rate"] and abs(left) >= c.least and abs(left) > half
    if counts:
        c.verdict = "SLOWER" if left > 0 else "FASTER"
    else:
        c.verdict = "SAME" if abs(left) + half < margin else "UNRESOLVED"
    if c.shift != 0:
        hold_against_shift(c, rule, floor, margin)


def recomputed(baseline, candidate, comparison):
    before, now, rule = visits_of(baseline), visits_of(candidate), comparison["rule"]
    changes = [
        Change(f, before[f["case"], f["metric"]], now[f["case"], f["metric"]])
        for f in comparison["findings"]
        if f.get("derivation")
    ]
    shift, shift_error = shift_of(changes)
    if abs(shift) > max(rule["shift_floor"], 3 * shift_error):
        # Reported, and subtracted. Below it is not: earlier runs would tell how a case behaves without it.
        set_errors_with = (shift, shift_error)
    else:
        set_errors_with = (0, 0)
    moderate_all(changes)
    set_errors(changes, rule, *set_errors_with)
    fit(changes, rule)
    for c in changes:
        c.p = p_value(c, c.noise)
    level = adjust(changes, rule["false_discovery_rate"])
    for c in changes:
        decide(c, level, rule)
    return changes, level


def pairs_of(c, level):
    """Names, and recomputed values beside Plumbline's."""
    f, way = c.finding, c.finding["derivation"]
    return {
        "change": (c.change, way["change"]),
        "shift": (c.shift, way.get("shift", 0)),
        "inverse_visits": (c.inverse_visits, way["inverse_visits"]),
        "own_visits.variance": (c.variance, way["own_visits"]["variance"]),
        "block_floor": (c.block_floor, way["block_floor"]),
        "visits.variance": (c.visit_variance, way["visits"]["variance"]),
        "visits.df": (c.visit_df, way["visits"]["df"]),
        "rule.variance": (c.rule, way.get("rule", {}).get("variance", 0)),
        "narrowed": (c.narrowed, way.get("narrowed", 1)),
        "widened": (c.widened, way.get("widened", 1)),
        "change_noise.variance": (c.noise, way["change_noise"]["variance"]),
        "change_noise.df": (c.noise_df, way["change_noise"]["df"]),
        "error": (c.error, way["error"]),
        "level": (level, way["level"]),
        "least_called": (c.least, way["least_called"]),
        "p_value": (c.p, f["p_value"]),
        "adjusted_p": (c.adjusted, f["adjusted_p"]),
        "change_low": (c.low, f["change_low"]),
        "change_high": (c.high, f["change_high"]),
        "detectable": (c.detectable, f["detectable"]),
    }


def main(baseline, candidate, path):
    with open(path, encoding="utf-8") as file:
        changes, level = recomputed(baseline, candidate, json.load(file))
    agreed, wrong = 0, []
    for c in changes:
        name = f"{c.finding['case']} {c.finding['metric']}"
        for what, (ours, theirs) in pairs_of(c, level).items():
            # A change is a difference of logarithms near −10, which are rounded at 1e-15.
            rounding = 1e-14 if what in ("change", "shift") else 0
            if abs(ours - theirs) <= TOLERANCE * abs(theirs) + rounding:
                agreed += 1
            else:
                wrong.append(f"{name}: {what} is {theirs!r}, recomputed {ours!r}")
        verdict = c.finding["verdict"].replace("LOOKS_", "")
        if verdict != c.verdict:
            wrong.append(f"{name}: the verdict is {verdict}, recomputed {c.verdict}")
    print("\n".join(wrong[:20] + [f"{agreed} numbers of {len(changes)} changes agree, {len(wrong)} do not"]))
    return 1 if wrong or not changes else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
