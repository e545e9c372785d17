#include "stats/order_interval.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

/// Tolerance for rounding: a confidence that is reached exactly counts as reached.
constexpr double kRounding = 1 + 1e-12;

/// The first k in [low, high) for which `holds` (true from some k on), or `high`.
template <class Predicate>
std::size_t first_where(std::size_t low, std::size_t high, const Predicate& holds) {
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (holds(middle))
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

}  // namespace

void require_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error("confidence " + std::to_string(confidence) + " is outside (0, 1)");
}

OrderRanks symmetric_ranks(std::size_t total, double confidence,
                           const std::function<double(std::size_t)>& at_most) {
  require_confidence(confidence);
  const double risk = (1 - confidence) / 2 * kRounding;
  const std::size_t middle = (total + 1) / 2;
  const std::size_t low = std::max<std::size_t>(
      1, first_where(0, middle, [&](std::size_t k) { return at_most(k) > risk; }));
  return {low, total + 1 - low, 1 - 2 * at_most(low - 1)};
}

OrderRanks normal_ranks(std::size_t total, double confidence, double sd) {
  if (sd == 0) return {1, total, 1};  // all underlying values are tied
  const double mean = static_cast<double>(total) / 2;
  return symmetric_ranks(total, confidence, [&](std::size_t k) {
    return normal_tails(static_cast<double>(k) - mean, sd, 0.5).less;
  });
}

OrderInterval quantile_interval(std::span<const double> values, double probability,
                                double confidence) {
  require_finite(values, 1, "interval of a quantile");
  require_confidence(confidence);
  if (!(probability > 0 && probability < 1))
    throw Error("interval of a quantile: probability " + std::to_string(probability) +
                " is outside (0, 1)");
  using boost::math::cdf, boost::math::complement;
  const std::size_t n = values.size();
  const boost::math::binomial_distribution<double> below(static_cast<double>(n), probability);
  const double risk = (1 - confidence) / 2 * kRounding;
  const auto at_most = [&](std::size_t k) { return cdf(below, static_cast<double>(k)); };
  const auto above = [&](std::size_t k) { return cdf(complement(below, static_cast<double>(k))); };
  // For ordered values x(1) … x(n), the true quantile is below x(low) if fewer than `low` values
  // lie below it, and above x(high) if at least `high` do.
  const std::size_t low =
      std::max<std::size_t>(1, first_where(0, n, [&](auto k) { return at_most(k) > risk; }));
  const std::size_t high =
      std::min(n, 1 + first_where(0, n, [&](auto k) { return above(k) <= risk; }));
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {{quantile(values, probability), sorted[low - 1], sorted[high - 1]},
          1 - at_most(low - 1) - above(high - 1),
          Method::exact};
}

}  // namespace plumbline
