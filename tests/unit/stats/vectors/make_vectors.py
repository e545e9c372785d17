#!/usr/bin/env python3
"""Writes vectors.json: the required answers of the rows of harness/stats/table/table.cpp, computed by other software.

    python3 -m venv /tmp/vectors && /tmp/vectors/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 \
        pymannkendall==1.4.3
    /tmp/vectors/bin/python make_vectors.py > vectors.json

Inputs come from a seed. `tolerance` is relative: 1e-9 for exact values, 1e-6 for asymptotic ones. If Plumbline uses
another definition than SciPy, the value is counted from its definition (counted.py) with Python's integers
(`counted_…`), and the case says so:

- theilslopes() lacks the terms of Kendall's variance that ties in values and positions have together.
- kendalltau(method="asymptotic") is not corrected for continuity; pymannkendall is, as Kendall 1975.
- multipletests("simes-hochberg") is not Simes' test: the formula is written out.
"""

import json
import sys
import warnings

import numpy as np
import scipy
import statsmodels
from case import CASES
from location import hodges_lehmann, quantiles
from trends import mann_kendall, moderation, multiplicity, theil_sen


def main():
    warnings.simplefilter("ignore")
    parts = {hodges_lehmann: 4, quantiles: 5, theil_sen: 7, mann_kendall: 8, multiplicity: 11, moderation: 12}
    for part, seed in parts.items():
        part(np.random.default_rng([1945, seed]))  # a separate seed: one more case does not change the other parts
        print(part.__name__, len(CASES), file=sys.stderr)
    made_by = {"numpy": np.__version__, "scipy": scipy.__version__, "statsmodels": statsmodels.__version__,
               "pymannkendall": "1.4.3"}
    print('{"made_by": ' + json.dumps(made_by) + ',\n"cases": [')
    print(",\n".join(json.dumps(case, allow_nan=False) for case in CASES))
    print("]}")


if __name__ == "__main__":
    main()
