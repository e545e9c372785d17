#include "stats/rank_tests.h"

#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"
#include "stats/null_distribution.h"
#include "stats/ranks.h"

namespace plumbline {
namespace {

constexpr std::size_t kExactSide = 20, kExactSmallSide = 8, kExactLargeSide = 400;
constexpr std::size_t kExactSigned = 50, kMostExactSigned = 1000;
constexpr double kMostExactSteps = 1e9;

/// `sum`: doubled rank sum of b. Ranks of the shorter list are dealt out: fewer ways.
Tails exact_shift_tails(const Ranks& ranks, std::size_t n_a, std::size_t n_b, std::size_t sum) {
  const std::size_t chosen = std::min(n_a, n_b);
  if (chosen_sum_cost(ranks.doubled, chosen) > kMostExactSteps)
    throw Error("mann_whitney: lists of " + std::to_string(n_a) + " and " + std::to_string(n_b) +
                " values are too long for the exact method; use asymptotic");
  const CountedDistribution found = chosen_sum_distribution(ranks.doubled, chosen);
  if (chosen == n_b) return found.tails(sum);
  const std::size_t n = n_a + n_b;
  const Tails of_a = found.tails(n * (n + 1) - sum);
  return {of_a.greater, of_a.less};
}

}  // namespace

bool is_exact_shift(std::size_t n_a, std::size_t n_b) {
  const std::size_t shorter = std::min(n_a, n_b), longer = std::max(n_a, n_b);
  return longer <= kExactSide || (shorter <= kExactSmallSide && longer <= kExactLargeSide);
}

bool is_exact_signed(std::size_t n) { return n <= kExactSigned; }

MannWhitney mann_whitney(std::span<const double> a, std::span<const double> b,
                         Alternative alternative, Method method) {
  require_finite(a, 1, "mann_whitney, first list");
  require_finite(b, 1, "mann_whitney, second list");
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  const Ranks ranks = midranks(all);
  std::size_t sum = 0;  // of b
  for (std::size_t i = a.size(); i < all.size(); ++i) sum += ranks.doubled[i];
  const auto n_a = static_cast<double>(a.size()), n_b = static_cast<double>(b.size());
  MannWhitney result;
  result.u = static_cast<double>(sum) / 2 - n_b * (n_b + 1) / 2;
  result.has_ties = ranks.has_ties();
  if (is_exact(method, is_exact_shift(a.size(), b.size()), "mann_whitney")) {
    result.p_value = p_value(exact_shift_tails(ranks, a.size(), b.size(), sum), alternative);
    return result;
  }
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * (n + 1 - ranks.tie_sum() / (n * (n - 1)));
  result.method = Method::asymptotic;
  result.p_value =
      p_value(normal_tails(result.u - n_a * n_b / 2, std::sqrt(variance), 0.5), alternative);
  return result;
}

SignedRank wilcoxon_signed_rank(std::span<const double> differences, Alternative alternative,
                                Method method) {
  require_finite(differences, 1, "wilcoxon");
  std::vector<double> sizes;
  std::vector<bool> is_positive;
  for (const double difference : differences)
    if (difference != 0) {
      sizes.push_back(std::abs(difference));
      is_positive.push_back(difference > 0);
    }
  SignedRank result;
  result.used = sizes.size();
  result.zeros = differences.size() - sizes.size();
  const Ranks ranks = midranks(sizes);
  result.has_ties = ranks.has_ties();
  std::size_t positive = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (is_positive[i]) positive += ranks.doubled[i];
  const auto n = static_cast<double>(sizes.size());
  result.positive = static_cast<double>(positive) / 2;
  result.negative = n * (n + 1) / 2 - result.positive;
  if (is_exact(method, is_exact_signed(sizes.size()), "wilcoxon")) {
    if (sizes.size() > kMostExactSigned)
      throw Error("wilcoxon: " + std::to_string(sizes.size()) +
                  " differences are too many for the exact method (at most " +
                  std::to_string(kMostExactSigned) + "); use asymptotic");
    result.p_value = p_value(signed_sum_distribution(ranks.doubled).tails(positive), alternative);
    return result;
  }
  const double variance = (n * (n + 1) * (2 * n + 1) - ranks.tie_sum() / 2) / 24;
  result.method = Method::asymptotic;
  result.p_value = p_value(
      normal_tails(result.positive - n * (n + 1) / 4, std::sqrt(variance), 0.5), alternative);
  return result;
}

}  // namespace plumbline
