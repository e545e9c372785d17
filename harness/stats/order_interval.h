/// Intervals whose ends are order statistics, with the probability that they cover the truth.
///
/// Pure numbers, no cases. Errors are thrown as Error.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "stats/hypothesis.h"
#include "stats/student_t.h"

namespace plumbline {

/// `coverage` is what the ends reach: at least the confidence asked for, except where so few values
/// cannot (the ends are then the outermost, and the coverage below it). Exact for data without
/// ties, more with ties; by the normal approximation where `method` is asymptotic.
struct OrderInterval {
  Interval interval;
  double coverage = 0;
  Method method = Method::exact;
};

/// Which order statistics: from the `low`-th to the `high`-th smallest, counted from 1.
struct OrderRanks {
  std::size_t low = 1, high = 1;
  double coverage = 0;
};

/// Ranks into `total` ordered values of which a number X, symmetric about total / 2, lies below the
/// truth; `at_most(k)` = P(X ≤ k). The narrowest symmetric pair that covers the truth with
/// `confidence`; if none does, 1 and `total`. `total` > 0, `confidence` in (0, 1).
OrderRanks symmetric_ranks(std::size_t total, double confidence,
                           const std::function<double(std::size_t k)>& at_most);

/// The same where X is about normal.
OrderRanks normal_ranks(std::size_t total, double confidence, double sd);

/// Interval of the quantile of a population at `probability` in (0, 1), from the binomial
/// distribution of the number of values below it, each end with half of the risk (for the median
/// Thompson 1936). The center is the type-7 quantile. Needs one value.
OrderInterval quantile_interval(std::span<const double> values, double probability,
                                double confidence);

/// Throws Error where it is outside (0, 1).
void require_confidence(double confidence);

}  // namespace plumbline
