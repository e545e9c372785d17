#include "stats/hodges_lehmann.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/null_distribution.h"
#include "stats/selection.h"

namespace plumbline {
namespace {

constexpr std::size_t kExact = 50;  // values, if the method is automatic

/// Number of pairs in `sorted` with a mean of at most x.
std::size_t means_at_most(std::span<const double> sorted, double x) {
  std::size_t count = 0, end = sorted.size();  // partners of sorted[i] lie in [i, end)
  for (std::size_t i = 0; i < end; ++i) {
    while (end > i && std::midpoint(sorted[i], sorted[end - 1]) > x) --end;
    count += end - i;
  }
  return count;
}

OrderRanks ranks_of_means(std::size_t n, std::size_t total, double confidence, bool exact) {
  const auto count = static_cast<double>(n);
  if (!exact)
    return normal_ranks(total, confidence, std::sqrt(count * (count + 1) * (2 * count + 1) / 24));
  if (count * count * count / 2 > 1e9)
    throw Error("hodges_lehmann: the list is too long for the exact method; use asymptotic");
  std::vector<std::size_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  const CountedDistribution found = signed_sum_distribution(ranks);
  return symmetric_ranks(total, confidence, [&](std::size_t k) { return found.at_most(k); });
}

}  // namespace

OrderInterval hodges_lehmann(std::span<const double> values, double confidence, Method method) {
  require_finite(values, 1, "hodges_lehmann");
  const bool exact = is_exact(method, values.size() <= kExact);
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
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

}  // namespace plumbline
