#!/usr/bin/env python3
"""Writes vectors.json: what the rows of harness/stats/table.cpp must answer, by software that is not Plumbline's.

    python3 -m venv /tmp/vectors && /tmp/vectors/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 \
        diptest==0.12.0 pymannkendall==1.4.3
    /tmp/vectors/bin/python make_vectors.py > vectors.json

Inputs come from a seed. `tolerance` is relative: 1e-9 for what is exact, 1e-6 for what is asymptotic. Where SciPy's
definition is not the one taken, the value is counted from its definition (counted.py) with Python's integers (`counted_…`),
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

import json
import sys
import warnings

import diptest
import numpy as np
import scipy
import statsmodels
from case import CASES
from location import bootstrap, hodges_lehmann, mann_whitney, quantiles, sign_flip, welch, wilcoxon
from trends import dip, mann_kendall, moderation, modes, multiplicity, theil_sen


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
