/// Exact null distributions of rank statistics: all outcomes counted, each equally likely.
///
/// Pure numbers; knows no test. Counts are doubles: exact up to 2⁵³ and good to about 1e-15 beyond.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/hypothesis.h"

namespace plumbline {

/// Distribution of a statistic that takes the values 0, 1, 2, ….
class CountedDistribution {
 public:
  /// counts[k]: number of outcomes with statistic k. At least one is above 0.
  explicit CountedDistribution(const std::vector<double>& counts);
  std::size_t largest() const { return at_most_.size() - 1; }
  /// Each tail is summed from its own end, so that small tails are accurate.
  double at_most(std::size_t k) const;
  double at_least(std::size_t k) const;
  Tails tails(std::size_t k) const { return {at_most(k), at_least(k)}; }

 private:
  std::vector<double> at_most_, at_least_;
};

/// Sum of the weights (each above 0) with a plus sign, over all choices of signs: 2ⁿ outcomes. This
/// is Wilcoxon's signed-rank statistic; equal weights are ties.
CountedDistribution signed_sum_distribution(std::span<const std::size_t> weights);

/// Number of pairs in which the earlier value is the larger one, over all orders of values in
/// groups of equal ones (Kendall's statistic; groups of one: no ties). Sizes above 0.
CountedDistribution inversion_distribution(std::span<const std::size_t> groups);

}  // namespace plumbline
