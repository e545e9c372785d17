#!/usr/bin/env python3
"""Writes stat_vectors.h: values of SciPy and statsmodels for the tests of stats/.

    pip install scipy statsmodels && python3 stat_vectors.py > stat_vectors.h

The moderated variances follow limma's fitFDist (Smyth 2004), computed here from scipy.special.
"""

import numpy as np
import scipy
import statsmodels
from scipy import optimize, special, stats
from statsmodels.stats.multitest import multipletests


def number(x):
    if np.isinf(x):
        return "std::numeric_limits<double>::infinity()"
    return repr(float(x))


def array(name, values):
    print(f"inline const std::vector<double> {name}{{{', '.join(number(v) for v in values)}}};")


def rows(name, columns, table):
    print(f"struct {name} {{ double {', '.join(columns)}; }};")
    print(f"inline const std::vector<{name}> k{name}s{{")
    for row in table:
        print("    {" + ", ".join(number(v) for v in row) + "},")
    print("};")


def fit_prior(variances, dfs):
    """limma::fitFDist without trend and without robustness."""
    positive = variances[variances > 0]
    logs = np.log(np.maximum(variances, 1e-5 * np.median(positive)))
    logs = logs - special.digamma(dfs / 2) + np.log(dfs / 2)
    excess = np.var(logs, ddof=1) - np.mean(special.polygamma(1, dfs / 2))
    if excess <= 0:
        return np.inf, np.exp(np.mean(logs))
    half = optimize.brentq(lambda x: special.polygamma(1, x) - excess, 1e-9, 1e12, xtol=1e-300, rtol=1e-15)
    return 2 * half, np.exp(np.mean(logs) + special.digamma(half) - np.log(half))


rng = np.random.default_rng(2004)
print("/// Made by stat_vectors.py; do not edit. The values that stats/ must reproduce.")
print(f"/// SciPy {scipy.__version__}, statsmodels {statsmodels.__version__}, NumPy {np.__version__}.")
print("// clang-format off\n#pragma once\n\n#include <limits>\n#include <vector>\n")
print("namespace plumbline::vectors {")

a = 1e-5 * np.exp(0.03 * rng.standard_normal(7))
b = 1.1e-5 * np.exp(0.08 * rng.standard_normal(12))
array("kA", a)
array("kB", b)
rows("Descriptive", ["mean", "variance", "median", "mad"],
     [[np.mean(x), np.var(x, ddof=1), np.median(x), stats.median_abs_deviation(x)] for x in (a, b)])
rows("Quantile", ["probability", "of_a", "of_b"],
     [[p, np.quantile(a, p), np.quantile(b, p)] for p in (0, .01, .05, .25, .4, .5, .75, .9, .99, 1)])
rows("StudentCdf", ["t", "df", "cdf", "two_sided_p"],
     [[t, df, stats.t.cdf(t, df), 2 * stats.t.sf(abs(t), df)]
      for t in (-30, -6.5, -2, -.1, 0, .7, 3, 12) for df in (.7, 1, 2, 4, 7.31, 33.3, 1000, np.inf)])
rows("StudentQuantile", ["probability", "df", "t"],
     [[p, df, stats.t.ppf(p, df)]
      for p in (5e-8, 5e-4, .025, .3, .8, .995, .99995) for df in (.7, 1, 2, 4, 7.31, 33.3, 1000, np.inf)])
rows("MeanInterval", ["confidence", "low", "high"],
     [[c, *stats.t.interval(c, len(a) - 1, np.mean(a), stats.sem(a))] for c in (.5, .95, .99)])
p_values = np.concatenate([rng.uniform(size=20), rng.uniform(size=4) ** 6, [0.5, 0.5, 1.0, 0.0]])
array("kPValues", p_values)
array("kAdjusted", multipletests(p_values, method="fdr_bh")[1])
rows("TrigammaPair", ["x", "trigamma"],
     [[x, special.polygamma(1, x)] for x in (1e-4, .01, .3, 1, 2.5, 17, 1234.5, 1e6)])

dfs = np.array([4.0] * 20 + [2.0] * 5 + [7.0] * 5)
spread = 2e-6 * 5 / rng.chisquare(5, size=30)
variances = spread * rng.chisquare(dfs) / dfs
variances[3] = 0.0
steady = 2e-6 * np.linspace(.9, 1.1, 30)
array("kDfs", dfs)
array("kVariances", variances)
array("kSteadyVariances", steady)
d0, s0 = fit_prior(variances, dfs)
rows("Prior", ["df", "variance"], [[d0, s0], fit_prior(steady, dfs)])
array("kModerated", (d0 * s0 + dfs * variances) / (d0 + dfs))
print("}  // namespace plumbline::vectors")
