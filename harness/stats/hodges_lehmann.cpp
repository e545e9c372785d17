#include "stats/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/null_distribution.h"
#include "stats/rank_tests.h"
#include "stats/selection.h"

namespace plumbline {
namespace {

/// Means of two of `sorted` that are at most x.
std::size_t means_at_most(std::span<const double> sorted, double x) {
  std::size_t count = 0, end = sorted.size();  // partners of sorted[i] lie in [i, end)
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && std::midpoint(sorted[i], sorted[end - 1]) > x) --end;
    count += end - i;
  }
  return count;
}

/// Differences b − a that are at most x, of sorted lists.
std::size_t differences_at_most(std::span<const double> a, std::span<const double> b, double x) {
  std::size_t count = 0, end = 0;  // partners of a[i] lie in [0, end)
  for (const double value : a) {
    while (end < b.size() && b[end] - value <= x) ++end;
    count += end;
  }
  return count;
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return sorted;
}

std::vector<std::size_t> whole_ranks(std::size_t n) {
  std::vector<std::size_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return ranks;
}

void require_affordable(double cost) {
  if (cost > 1e9)
    throw Error("hodges_lehmann: the lists are too long for the exact method; use asymptotic");
}

OrderRanks ranks_of_means(std::size_t n, std::size_t total, double confidence, bool exact) {
  const auto count = static_cast<double>(n);
  if (!exact)
    return normal_ranks(total, confidence, std::sqrt(count * (count + 1) * (2 * count + 1) / 24));
  require_affordable(count * count * count / 2);
  const CountedDistribution found = signed_sum_distribution(whole_ranks(n));
  return symmetric_ranks(total, confidence, [&](std::size_t k) { return found.at_most(k); });
}

OrderRanks ranks_of_differences(std::size_t n_a, std::size_t n_b, double confidence, bool exact) {
  const auto a = static_cast<double>(n_a), b = static_cast<double>(n_b);
  if (!exact) return normal_ranks(n_a * n_b, confidence, std::sqrt(a * b * (a + b + 1) / 12));
  const std::vector<std::size_t> ranks = whole_ranks(n_a + n_b);
  const std::size_t chosen = std::min(n_a, n_b), least = chosen * (chosen + 1) / 2;
  require_affordable(chosen_sum_cost(ranks, chosen));
  const CountedDistribution found = chosen_sum_distribution(ranks, chosen);
  return symmetric_ranks(n_a * n_b, confidence,
                         [&](std::size_t k) { return found.at_most(least + k); });
}

}  // namespace

OrderInterval hodges_lehmann(std::span<const double> values, double confidence, Method method) {
  require_finite(values, 1, "hodges_lehmann");
  const bool exact = is_exact(method, is_exact_signed(values.size()), "hodges_lehmann");
  const std::vector<double> sorted = sorted_copy(values);
  const std::size_t total = sorted.size() * (sorted.size() + 1) / 2;
  const auto kth = [&](std::size_t k) {
    return kth_smallest(k, sorted.front(), sorted.back(),
                        [&](double x) { return means_at_most(sorted, x); });
  };
  const OrderRanks ranks = ranks_of_means(sorted.size(), total, confidence, exact);
  return {{median_by(total, kth), kth(ranks.low), kth(ranks.high)},
          ranks.coverage,
          exact ? Method::exact : Method::asymptotic};
}

OrderInterval hodges_lehmann_shift(std::span<const double> a, std::span<const double> b,
                                   double confidence, Method method) {
  require_finite(a, 1, "hodges_lehmann, first list");
  require_finite(b, 1, "hodges_lehmann, second list");
  const bool exact = is_exact(method, is_exact_shift(a.size(), b.size()), "hodges_lehmann");
  const std::vector<double> sorted_a = sorted_copy(a), sorted_b = sorted_copy(b);
  const std::size_t total = a.size() * b.size();
  const auto kth = [&](std::size_t k) {
    return kth_smallest(k, sorted_b.front() - sorted_a.back(), sorted_b.back() - sorted_a.front(),
                        [&](double x) { return differences_at_most(sorted_a, sorted_b, x); });
  };
  const OrderRanks ranks = ranks_of_differences(a.size(), b.size(), confidence, exact);
  return {{median_by(total, kth), kth(ranks.low), kth(ranks.high)},
          ranks.coverage,
          exact ? Method::exact : Method::asymptotic};
}

}  // namespace plumbline
