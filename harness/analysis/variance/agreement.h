/// A/A: how far apart estimates are when runs measure the same thing.
///
/// Reads the estimates of a variance table (variance.h); does not know rows or files.
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
  double at_least_s = 0;  // only cases of at least this time (geometric mean of both runs)
  std::size_t count = 0;
  double median = kUnknown, p90 = kUnknown, p99 = kUnknown, max = kUnknown;
  std::string max_case;
};

/// A case × metric whose runs differ by more than a limit: its largest ratio within pairs and
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
  std::size_t not_in_all = 0;         // cases × metrics for which some run has no estimate
};

/// Launches of at least this length are also counted separately: below it, the timers' own errors
/// show.
inline constexpr double kLongLaunch_s = 10e-6;

/// Runs 1 and 2 are a pair, 3 and 4 the next, …; with two pairs or more, also all pairs together,
/// and across pairs: each run of one pair with each of another. `limit` for departures: a fraction.
/// Throws Error if the number of runs is odd or 0.
AgreementTable agreement(std::span<const CaseVariance> table, std::size_t runs,
                         double limit = 0.01);

}  // namespace plumbline
