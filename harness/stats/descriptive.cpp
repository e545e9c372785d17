#include "stats/descriptive.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/error.h"

namespace plumbline {
namespace {

constexpr const char* kBeyondDouble =
    "the numbers are too large or too small for double precision; scale them";

/// A quantile of type 7 lies between two order statistics, at `fraction` of their distance.
struct Place {
  std::size_t below;
  double fraction;
};

Place place_of(double probability, std::size_t count) {
  const double position = probability * static_cast<double>(count - 1);
  const auto below = static_cast<std::size_t>(position);
  return {below, position - static_cast<double>(below)};
}

/// Quantile of type 7; may reorder `values`.
double quantile_in_place(std::span<double> values, double probability) {
  const auto [below, fraction] = place_of(probability, values.size());
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin(), nth, values.end());
  if (fraction == 0) return *nth;
  return *nth + fraction * (*std::min_element(nth + 1, values.end()) - *nth);
}

void require_share(double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw Error("quantile: probability " + std::to_string(probability) + " is outside [0, 1]");
}

}  // namespace

void require_finite(std::span<const double> values, std::size_t at_least, const char* what) {
  if (values.size() < at_least)
    throw Error(std::string(what) + ": found " + std::to_string(values.size()) +
                " values, needs at least " + std::to_string(at_least));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      throw Error(std::string(what) + ": value " + std::to_string(i + 1) + " of " +
                  std::to_string(values.size()) + " is " + std::to_string(values[i]) +
                  ", only finite numbers are allowed");
}

double mean(std::span<const double> values) {
  require_finite(values, 1, "mean");
  const auto n = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double rough = sum / n;
  if (!std::isfinite(rough)) throw Error(kBeyondDouble);
  // Adds back the rounding error, so that the mean of equal values is exactly their value.
  double rest = 0;
  for (const double value : values) rest += value - rough;
  return rough + rest / n;
}

double variance(std::span<const double> values) {
  require_finite(values, 2, "variance");
  const double center = mean(values);
  double squares = 0;
  bool is_constant = true;
  for (const double value : values) {
    squares += (value - center) * (value - center);
    is_constant = is_constant && value == center;
  }
  if (!std::isfinite(squares) || (squares == 0 && !is_constant)) throw Error(kBeyondDouble);
  return squares / static_cast<double>(values.size() - 1);
}

double standard_deviation(std::span<const double> values) { return std::sqrt(variance(values)); }

double quantile(std::span<const double> values, double probability) {
  require_finite(values, 1, "quantile");
  require_share(probability);
  std::array<double, 64> few;  // a block's samples fit without an allocation
  if (values.size() <= few.size()) {
    std::ranges::copy(values, few.begin());
    return quantile_in_place(std::span(few).first(values.size()), probability);
  }
  std::vector<double> many(values.begin(), values.end());
  return quantile_in_place(many, probability);
}

std::vector<double> quantiles(std::span<const double> values,
                              std::span<const double> probabilities) {
  require_finite(values, 1, "quantiles");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<double> found;
  for (const double probability : probabilities) {
    require_share(probability);
    const auto [below, fraction] = place_of(probability, sorted.size());
    const double low = sorted[below];
    found.push_back(fraction == 0 ? low : low + fraction * (sorted[below + 1] - low));
  }
  return found;
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double median_absolute_deviation(std::span<const double> values) {
  const double center = median(values);
  std::vector<double> distances(values.size());
  std::ranges::transform(values, distances.begin(),
                         [center](double value) { return std::abs(value - center); });
  return quantile_in_place(distances, 0.5);
}

}  // namespace plumbline
