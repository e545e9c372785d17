/// Exact distributions of rank statistics where nothing is going on: all outcomes counted, each as
/// likely as any other.
///
/// Pure numbers; knows no test. Counts are doubles: exact up to 2⁵³ and good to about 1e-15 beyond.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stats/hypothesis.h"

namespace plumbline {

/// Of a statistic that takes the values 0, 1, 2, ….
class CountedDistribution {
 public:
  /// counts[k]: outcomes in which the statistic is k. At least one is above 0.
  explicit CountedDistribution(const std::vector<double>& counts);
  std::size_t largest() const { return at_most_.size() - 1; }
  /// Each tail summed from its own end, so that it is accurate where it is small.
  double at_most(std::size_t k) const;
  double at_least(std::size_t k) const;
  Tails tails(std::size_t k) const { return {at_most(k), at_least(k)}; }

 private:
  std::vector<double> at_most_, at_least_;
};

/// Sum of those weights, each above 0, whose sign is plus, for every choice of signs: 2ⁿ outcomes
/// (Wilcoxon's signed-rank statistic, with whatever ties the weights hold).
CountedDistribution signed_sum_distribution(std::span<const std::size_t> weights);

/// Pairs in which the earlier of two values is the larger, over all orders of values that fall
/// into groups of equal ones (Kendall's statistic; groups of one: no ties). Sizes above 0.
CountedDistribution inversion_distribution(std::span<const std::size_t> groups);

}  // namespace plumbline
