/// Intervals with order statistics as ends, and the probability that they cover the true value.
///
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "stats/hypothesis.h"
#include "stats/student_t.h"

namespace plumbline {

/// `coverage` is the probability that the interval reaches: at least the confidence asked for. With
/// too few values it is lower, and the ends are the outermost values. Exact for data without ties,
/// higher with ties; a normal approximation if `method` is asymptotic.
struct OrderInterval {
  Interval interval;
  double coverage = 0;
  Method method = Method::exact;
};

/// Order statistics: from the `low`-th to the `high`-th smallest, counted from 1.
struct OrderRanks {
  std::size_t low = 1, high = 1;
  double coverage = 0;
};

/// Ranks into `total` ordered values. X, the number of them below the true value, is symmetric
/// about total / 2, and `at_most(k)` = P(X ≤ k). Returns the narrowest symmetric pair that covers
/// the true value with `confidence`, or 1 and `total` if there is none. `total` > 0, `confidence`
/// in (0, 1).
OrderRanks symmetric_ranks(std::size_t total, double confidence,
                           const std::function<double(std::size_t k)>& at_most);

/// The same for an approximately normal X.
OrderRanks normal_ranks(std::size_t total, double confidence, double sd);

/// Interval of the population's quantile at `probability` in (0, 1), from the binomial distribution
/// of the number of values below it. Each end takes half of the risk (for the median Thompson
/// 1936). The center is the type-7 quantile. Needs one value.
OrderInterval quantile_interval(std::span<const double> values, double probability,
                                double confidence);

/// Throws Error if it is outside (0, 1).
void require_confidence(double confidence);

}  // namespace plumbline
