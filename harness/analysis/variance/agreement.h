/// A/A: how far apart the estimates of runs of the same thing are.
///
/// Reads the estimates of a variance table (variance.h); knows no rows and no files.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/variance/variance.h"

namespace plumbline {

/// |ratio − 1| of the estimates over cases and pairs of runs, for one metric. Quantiles are of type
/// 7 (stats/descriptive.h): with fewer than 100 ratios the 99th percentile is next to the largest.
struct Agreement {
  std::string runs;  // "1 and 2", "within pairs", "across pairs"
  std::string metric;
  double at_least_s = 0;  // only cases whose value, the geometric mean of both runs, is so long
  std::size_t count = 0;
  double median = kUnknown, p90 = kUnknown, p99 = kUnknown, max = kUnknown;
  std::string max_case;
};

/// A case × metric whose runs are farther apart than a limit: its largest ratio within pairs, and
/// across them.
struct Departure {
  std::size_t first = 0, second = 0;  // runs, from 0
  bool is_across = false;
  std::size_t row = 0;  // of the variance table
  double change = 0;    // second / first − 1
};

struct AgreementTable {
  std::vector<Agreement> rows;        // by metric, group of runs, and length of launches
  std::vector<Departure> departures;  // largest first
  std::size_t not_in_all = 0;         // cases × metrics that some run has no estimate of
};

/// Launches of this length and more are also counted by themselves: below it the timers' own errors
/// show.
inline constexpr double kLongLaunch_s = 10e-6;

/// Runs 1 and 2 are a pair, 3 and 4 the next, …; with two pairs or more, all pairs together, and
/// across pairs: each run of one with each of another. `limit`: a fraction, of the departures.
/// Throws Error where the number of runs is odd, or 0.
AgreementTable agreement(std::span<const CaseVariance> table, std::size_t runs,
                         double limit = 0.01);

}  // namespace plumbline
