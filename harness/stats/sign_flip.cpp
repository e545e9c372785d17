#include "stats/sign_flip.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/error.h"
#include "stats/beyond_double.h"
#include "stats/descriptive.h"
#include "stats/random_draws.h"
#include "stats/sign_sum.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostExact = 40;
constexpr double kMostSigns = 2e8;  // drawn, below a second

/// The sums of all subsets, sorted: each value merges the list with itself shifted.
std::vector<double> subset_sums(std::span<const double> values) {
  std::vector<double> sums{0}, shifted, merged;
  for (const double value : values) {
    shifted.resize(sums.size());
    std::ranges::transform(sums, shifted.begin(), [value](double sum) { return sum + value; });
    merged.clear();
    std::ranges::merge(sums, shifted, std::back_inserter(merged));
    sums.swap(merged);
  }
  return sums;
}

/// How many pairs, one of each sorted list, have a sum of at least `bound`.
double pairs_at_least(std::span<const double> first, std::span<const double> second, double bound) {
  double count = 0;
  std::size_t start = second.size();
  for (const double value : first) {
    while (start > 0 && value + second[start - 1] >= bound) --start;
    count += static_cast<double>(second.size() - start);
  }
  return count;
}

/// Flipping signs is choosing the subset that is positive: its sum is (Σ ± |d| + Σ|d|) / 2.
Tails exact_tails(std::span<const double> sizes, double positive, double tolerance) {
  const std::size_t half = sizes.size() / 2;
  const std::vector<double> first = subset_sums(sizes.first(half));
  const std::vector<double> second = subset_sums(sizes.subspan(half));
  const double all = std::ldexp(1.0, static_cast<int>(sizes.size()));
  const double beyond = std::nextafter(positive + tolerance, std::numeric_limits<double>::max());
  return {1 - pairs_at_least(first, second, beyond) / all,
          pairs_at_least(first, second, positive - tolerance) / all};
}

Tails random_tails(std::span<const double> sizes, double positive, double tolerance,
                   std::size_t resamples, std::uint64_t seed) {
  RandomDraws draws(seed);
  std::size_t less = 0, greater = 0;
  for (std::size_t i = 0; i < resamples; ++i) {
    double sum = 0;
    std::uint64_t bits = 0;
    for (std::size_t j = 0; j < sizes.size(); ++j, bits >>= 1) {
      if (j % 64 == 0) bits = draws.bits();
      if (bits & 1) sum += sizes[j];
    }
    less += sum <= positive + tolerance;
    greater += sum >= positive - tolerance;
  }
  const auto all = static_cast<double>(resamples + 1);
  return {static_cast<double>(less + 1) / all, static_cast<double>(greater + 1) / all};
}

Method chosen_method(std::size_t values, std::size_t resamples) {
  if (values <= kMostExact) return Method::exact;
  return double(values) * double(resamples) <= kMostSigns ? Method::monte_carlo
                                                          : Method::asymptotic;
}

}  // namespace

SignFlip sign_flip(std::span<const double> differences, Alternative alternative, Method method,
                   std::size_t resamples, std::uint64_t seed) {
  SignFlip result;
  result.mean = mean(differences);
  std::vector<double> sizes;
  double positive = 0;
  for (const double difference : differences) {
    if (difference != 0) sizes.push_back(std::abs(difference));
    if (difference > 0) positive += difference;
  }
  if (method == Method::automatic) method = chosen_method(sizes.size(), resamples);
  if (method != Method::exact && method != Method::monte_carlo && method != Method::asymptotic)
    throw Error("sign_flip: the method is auto, exact, monte_carlo or asymptotic");
  if (method == Method::exact && sizes.size() > kMostExact)
    throw Error("sign_flip: " + std::to_string(sizes.size()) +
                " differences are too many for the exact method (at most " +
                std::to_string(kMostExact) + "); use monte_carlo");
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (!std::isfinite(all)) throw BeyondDouble("sign_flip: the differences are too large");
  // Sums that are equal differ by what adding their parts in another order rounds.
  const double tolerance =
      static_cast<double>(sizes.size()) * std::numeric_limits<double>::epsilon() / 2 * all;
  result.method = method;
  if (method == Method::asymptotic) {
    if (sizes.empty()) return result;
    const SignSum found = sign_sum_tails(sizes, 2 * positive - all);
    result.p_value = p_value(found.tails, alternative);
    result.error = result.p_value * found.relative_error;
    return result;
  }
  const Tails tails = method == Method::exact
                          ? exact_tails(sizes, positive, tolerance)
                          : random_tails(sizes, positive, tolerance, resamples, seed);
  result.p_value = p_value(tails, alternative);
  if (method == Method::monte_carlo)
    result.error = std::sqrt(result.p_value * (1 - result.p_value) / double(resamples));
  return result;
}

}  // namespace plumbline
