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

namespace plumbline {
namespace {

constexpr std::size_t kMostExact = 40;

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
  if (method == Method::automatic)
    method = sizes.size() <= kMostExact ? Method::exact : Method::monte_carlo;
  if (method != Method::exact && method != Method::monte_carlo)
    throw Error("sign_flip: the method is auto, exact or monte_carlo");
  if (method == Method::exact && sizes.size() > kMostExact)
    throw Error("sign_flip: " + std::to_string(sizes.size()) +
                " differences are too many for the exact method (at most " +
                std::to_string(kMostExact) + "); use monte_carlo");
  const double all = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  if (!std::isfinite(all)) throw BeyondDouble("sign_flip: the differences are too large");
  // Sums that are equal differ by what adding their parts in another order rounds.
  const double tolerance =
      static_cast<double>(sizes.size()) * std::numeric_limits<double>::epsilon() / 2 * all;
  const Tails tails = method == Method::exact
                          ? exact_tails(sizes, positive, tolerance)
                          : random_tails(sizes, positive, tolerance, resamples, seed);
  result.method = method;
  result.p_value = p_value(tails, alternative);
  return result;
}

}  // namespace plumbline
