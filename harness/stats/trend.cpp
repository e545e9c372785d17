#include "stats/trend.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/value.h"
#include "stats/descriptive.h"
#include "stats/null_distribution.h"
#include "stats/ranks.h"

namespace plumbline {
namespace {

constexpr std::size_t kExact = 10, kMostExact = 100;
constexpr double kAutocorrelationLevel = 0.05;

void require_points(std::span<const double> values, std::size_t at_least, const char* what) {
  require_finite(values, at_least, what);
  if (values.size() > kMostTrendPoints)
    throw Error(std::string(what) + ": found " + std::to_string(values.size()) +
                " values, takes at most " + std::to_string(kMostTrendPoints));
}

/// Σ f(t) over the groups of equal values.
template <class Function>
double over_groups(const Ranks& ranks, const Function& f) {
  double sum = 0;
  for (const std::size_t group : ranks.groups) sum += f(static_cast<double>(group));
  return sum;
}

/// Variance of Kendall's S without a trend, with ties in the values and in their positions (Kendall
/// 1975, chapter 4).
double kendall_variance(const Ranks& values, const Ranks& positions) {
  const auto single = [](double t) { return t * (t - 1) * (2 * t + 5); };
  const auto triple = [](double t) { return t * (t - 1) * (t - 2); };
  const auto twice = [](double t) { return t * (t - 1); };
  const auto n = static_cast<double>(values.doubled.size());
  double variance = (single(n) - over_groups(values, single) - over_groups(positions, single)) / 18;
  variance += over_groups(values, twice) * over_groups(positions, twice) / (2 * twice(n));
  if (n > 2)
    variance += over_groups(values, triple) * over_groups(positions, triple) / (9 * triple(n));
  return std::max(0.0, variance);  // all equal: 0 apart from rounding
}

struct Pairs {
  std::size_t rising = 0, falling = 0;
};

Pairs pairs_of(std::span<const double> values) {
  Pairs pairs;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      pairs.rising += values[j] > values[i];
      pairs.falling += values[j] < values[i];
    }
  return pairs;
}

double position(std::span<const double> x, std::size_t i) {
  return x.empty() ? static_cast<double>(i) : x[i];
}

/// "value 2 (1e+308) at 0.5".
std::string point_in_words(std::span<const double> y, std::span<const double> x, std::size_t i) {
  return "value " + std::to_string(i + 1) + " (" + shortest_text(y[i]) + ") at " +
         shortest_text(position(x, i));
}

std::vector<double> slopes_of(std::span<const double> y, std::span<const double> x) {
  std::vector<double> slopes;
  slopes.reserve(y.size() * (y.size() - 1) / 2);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = i + 1; j < y.size(); ++j) {
      const double step = position(x, j) - position(x, i);
      if (step == 0) continue;
      slopes.push_back((y[j] - y[i]) / step);
      if (!std::isfinite(slopes.back()))
        throw Error("Sen's slope: from " + point_in_words(y, x, i) + " to " +
                    point_in_words(y, x, j) + " is beyond double precision; scale the numbers");
    }
  return slopes;
}

/// k from 1; reorders the values. Only a few of the n² / 2 slopes are needed, so it does not sort.
double kth_smallest_of(std::vector<double>& values, std::size_t k) {
  const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::ranges::nth_element(values, kth);
  return *kth;
}

/// The factor by which autocorrelation changes the variance of S: n/n* of Hamed & Rao 1998, from
/// the ranks of the values minus Sen's slope.
double inflation_of(std::span<const double> values, Autocorrelation rule) {
  const double slope = median(slopes_of(values, {}));
  std::vector<double> left(values.size());
  for (std::size_t i = 0; i < left.size(); ++i)
    left[i] = values[i] - static_cast<double>(i + 1) * slope;
  const Ranks ranks = midranks(left);
  const auto n = static_cast<double>(left.size());
  std::vector<double> centered(left.size());
  std::ranges::transform(ranks.doubled, centered.begin(), [n](std::size_t doubled) {
    return static_cast<double>(doubled) - (n + 1);  // twice the distance from the mean rank
  });
  const double all = std::inner_product(centered.begin(), centered.end(), centered.begin(), 0.0);
  if (all == 0) return 1;
  const double bound = normal_quantile(1 - kAutocorrelationLevel / 2) / std::sqrt(n);
  double sum = 0;
  for (std::size_t lag = 1; lag < left.size(); ++lag) {
    const auto shifted = centered.begin() + static_cast<std::ptrdiff_t>(lag);
    const double correlation =
        std::inner_product(shifted, centered.end(), centered.begin(), 0.0) / all;
    const bool is_significant = std::abs(correlation) > bound;
    if (rule == Autocorrelation::leading_lags && !is_significant) break;
    const double rest = n - static_cast<double>(lag);
    if (is_significant) sum += rest * (rest - 1) * (rest - 2) * correlation;
  }
  const double inflation = 1 + 2 * sum / (n * (n - 1) * (n - 2));
  return rule == Autocorrelation::leading_lags ? std::max(1.0, inflation) : inflation;
}

}  // namespace

MannKendall mann_kendall(std::span<const double> values, Alternative alternative, Method method,
                         Autocorrelation correction) {
  const bool is_corrected = correction != Autocorrelation::none;
  require_points(values, is_corrected ? 4 : 2, "mann_kendall");
  const Ranks ranks = midranks(values);
  const Pairs pairs = pairs_of(values);
  const auto n = static_cast<double>(values.size());
  MannKendall result;
  result.s = static_cast<double>(pairs.rising) - static_cast<double>(pairs.falling);
  result.tau = result.s / (n * (n - 1) / 2);
  result.variance = kendall_variance(ranks, {});
  if (is_corrected && method == Method::exact)
    throw Error(
        "mann_kendall: a variance corrected for autocorrelation has no exact method; use auto");
  if (!is_corrected && is_exact(method, values.size() <= kExact)) {
    if (values.size() > kMostExact)
      throw Error("mann_kendall: found " + std::to_string(values.size()) +
                  " values, the exact method takes at most " + std::to_string(kMostExact));
    const Tails falling = inversion_distribution(ranks.groups).tails(pairs.falling);
    result.p_value = p_value({falling.greater, falling.less}, alternative);
    return result;
  }
  if (is_corrected) result.inflation = inflation_of(values, correction);
  if (result.inflation > 0) result.variance *= result.inflation;
  result.method = Method::asymptotic;
  result.p_value = p_value(normal_tails(result.s, std::sqrt(result.variance), 1), alternative);
  return result;
}

OrderInterval theil_sen(std::span<const double> y, std::span<const double> x, double confidence) {
  require_points(y, 2, "theil_sen");
  if (!x.empty()) {
    require_points(x, 2, "theil_sen, positions");
    if (x.size() != y.size())
      throw Error("theil_sen: found " + std::to_string(y.size()) + " values but " +
                  std::to_string(x.size()) + " positions");
  }
  std::vector<double> slopes = slopes_of(y, x);
  if (slopes.empty()) throw Error("theil_sen: all positions are equal, there is no slope");
  const Ranks of_y = midranks(y), of_x = midranks(x);
  const bool is_exact = y.size() <= kExact && !of_y.has_ties() && !of_x.has_ties();
  OrderRanks ranks;
  if (is_exact) {
    const CountedDistribution found = inversion_distribution(of_y.groups);
    ranks =
        symmetric_ranks(slopes.size(), confidence, [&](std::size_t k) { return found.at_most(k); });
  } else {
    ranks = normal_ranks(slopes.size(), confidence, std::sqrt(kendall_variance(of_y, of_x)) / 2);
  }
  const double low = kth_smallest_of(slopes, ranks.low), high = kth_smallest_of(slopes, ranks.high);
  return {
      {median(slopes), low, high}, ranks.coverage, is_exact ? Method::exact : Method::asymptotic};
}

}  // namespace plumbline
