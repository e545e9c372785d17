#include "stats/null_distribution.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace plumbline {
namespace {

std::size_t largest_sum(std::span<const std::size_t> weights, std::size_t chosen) {
  std::vector<std::size_t> sorted(weights.begin(), weights.end());
  std::ranges::sort(sorted, std::greater());
  return std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(chosen),
                         std::size_t{0});
}

/// Counts of the sum of `chosen` weights, over all ways to choose that many.
std::vector<double> chosen_sum_counts(std::span<const std::size_t> weights, std::size_t chosen) {
  const std::size_t width = largest_sum(weights, chosen) + 1;
  std::vector<double> counts((chosen + 1) * width);  // [how many were chosen][their sum]
  counts[0] = 1;
  for (std::size_t i = 0; i < weights.size(); ++i)
    for (std::size_t taken = std::min(i + 1, chosen); taken > 0; --taken) {
      const double* const without = counts.data() + (taken - 1) * width;
      double* const with = counts.data() + taken * width;
      for (std::size_t sum = weights[i]; sum < width; ++sum) with[sum] += without[sum - weights[i]];
    }
  return {counts.end() - static_cast<std::ptrdiff_t>(width), counts.end()};
}

/// Counts of the sum of two independent statistics.
std::vector<double> convolved(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> counts(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) counts[i + j] += a[i] * b[j];
  return counts;
}

}  // namespace

CountedDistribution::CountedDistribution(const std::vector<double>& counts)
    : at_most_(counts.size()), at_least_(counts.size()) {
  std::partial_sum(counts.begin(), counts.end(), at_most_.begin());
  std::partial_sum(counts.rbegin(), counts.rend(), at_least_.rbegin());
  const double total = at_most_.back();
  for (double& value : at_most_) value /= total;
  for (double& value : at_least_) value = std::min(1.0, value / total);
}

double CountedDistribution::at_most(std::size_t k) const {
  return k < at_most_.size() ? at_most_[k] : 1;
}

double CountedDistribution::at_least(std::size_t k) const {
  return k < at_least_.size() ? at_least_[k] : 0;
}

CountedDistribution signed_sum_distribution(std::span<const std::size_t> weights) {
  std::vector<double> counts(std::accumulate(weights.begin(), weights.end(), std::size_t{1}));
  counts[0] = 1;
  for (const std::size_t weight : weights)
    for (std::size_t sum = counts.size() - 1; sum >= weight; --sum)
      counts[sum] += counts[sum - weight];
  return CountedDistribution(counts);
}

CountedDistribution inversion_distribution(std::span<const std::size_t> groups) {
  // Inserting a group among all smaller values adds as many inversions as Mann and Whitney's U
  // counts for two lists of these sizes. The order of the rest does not matter, so the
  // distributions are convolved.
  std::vector<double> counts{1};
  std::size_t before = 0;
  for (const std::size_t group : groups) {
    if (before > 0) {
      std::vector<std::size_t> ranks(before + group);
      std::iota(ranks.begin(), ranks.end(), std::size_t{0});
      const std::vector<double> sums = chosen_sum_counts(ranks, group);
      const auto least = static_cast<std::ptrdiff_t>(group * (group - 1) / 2);
      counts = convolved(counts, {sums.begin() + least, sums.end()});
    }
    before += group;
  }
  return CountedDistribution(counts);
}

}  // namespace plumbline
