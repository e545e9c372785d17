#!/usr/bin/env python3
"""Writes harness/stats/dip_table.h: quantiles of Hartigan's dip under the uniform distribution.

    pip install numpy==2.4.6 diptest==0.12.0
    python3 make_dip_table.py > ../../../../harness/stats/dip_table.h          (about 20 minutes of one CPU)

The null distribution is simulated with the `diptest` package, which shares no code with stats/dip.cpp. The dip does
not change with place and scale, so sums of exponential gaps serve as the order statistics of uniform numbers.
"""

import sys

import diptest
import numpy as np

SEED = 1985
# How often a sample of each size is drawn: the last digit of p = 0.0001 rests on 100 draws, 20 and 10 for the largest.
SIZES = [4, 5, 6, 7, 8, 9, 10, 12, 15, 20, 25, 30, 40, 50, 70, 100, 150, 200, 300, 500, 1000, 2000]
DRAWS = {**{n: 1_000_000 for n in SIZES}, 5000: 200_000, 10000: 200_000, 40000: 100_000}
TAILS = [0.99, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.15, 0.1, 0.07, 0.05, 0.03, 0.02, 0.01, 0.005, 0.002,
         0.001, 0.0005, 0.0002, 0.0001]


def simulated(n, draws, rng):
    """Quantiles of sqrt(n) × dip at the upper tails."""
    dips = np.empty(draws)
    for i in range(draws):
        dips[i] = diptest.dipstat(np.cumsum(rng.standard_exponential(n)), sort_x=False)
    dips = np.maximum(dips, 0.5 / n)
    return np.sqrt(n) * np.quantile(dips, 1 - np.array(TAILS))


def main():
    print(f"""/// Made by tests/unit/stats/vectors/make_dip_table.py; do not edit. Quantiles of sqrt(n) × dip of n uniform
/// numbers, {DRAWS[4]:,} draws a row ({DRAWS[5000]:,} from n = 5000, {DRAWS[40000]:,} at 40000), simulated with diptest
/// {diptest.__version__}.
// clang-format off
#pragma once

#include <array>

namespace plumbline {{
inline constexpr std::array<double, {len(TAILS)}> kDipTails{{{", ".join(map(str, TAILS))}}};
struct DipQuantiles {{ double n; std::array<double, {len(TAILS)}> scaled; }};
inline constexpr std::array<DipQuantiles, {len(DRAWS)}> kDipTable{{{{""")
    for n, draws in DRAWS.items():
        found = simulated(n, draws, np.random.default_rng([SEED, n]))
        print(f"    {{{n}, {{{', '.join(f'{q:.5f}' for q in found)}}}}},", flush=True)
        print(n, "done", file=sys.stderr, flush=True)
    print("}};\n}  // namespace plumbline")


if __name__ == "__main__":
    main()
