#include "stats/memory.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/descriptive.h"

namespace plumbline {
namespace {

double square(double x) { return x * x; }

void take_off_mean(std::span<double> values) {
  if (values.empty()) return;
  const double middle = mean(values);
  for (double& value : values) value -= middle;
}

/// Sum of squared innovations: each value minus the share it keeps of the previous one. The first
/// counts by its stationary variance.
double squares_of_new(std::span<const double> values) {
  double squares = 0, products = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    squares += square(values[i - 1]);
    products += values[i - 1] * values[i];
  }
  const double kept = squares > 0 ? std::clamp(products / squares, 0.0, 0.99) : 0;
  double sum = square(values[0]) * (1 - square(kept));
  for (std::size_t i = 1; i < values.size(); ++i) sum += square(values[i] - kept * values[i - 1]);
  return sum;
}

}  // namespace

double about_step_with_memory(std::span<const double> values, std::size_t at) {
  std::vector<double> rest(values.begin(), values.end());
  take_off_mean(std::span(rest).first(at));
  take_off_mean(std::span(rest).subspan(at));
  return squares_of_new(rest);
}

double beyond_memory(std::span<const double> values, double rest) {
  const double about_level = about_step_with_memory(values, values.size());
  if (about_level <= rest) return 0;
  return rest > 0 ? double(values.size()) * std::log(about_level / rest) : INFINITY;
}

}  // namespace plumbline
