#include "stats/ramp.h"

#include <algorithm>

#include "stats/descriptive.h"

namespace plumbline {
namespace {

double about_mean(std::span<const double> values) {
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - middle) * (value - middle);
  return squares;
}

/// Sum of squares about a + b x(i) by least squares; not all x may be equal.
template <class Place>
double about_line(std::span<const double> values, const Place& x) {
  const double n = double(values.size());
  double mean_x = 0;
  for (std::size_t i = 0; i < values.size(); ++i) mean_x += x(i) / n;
  const double mean_y = mean(values);
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double dx = x(i) - mean_x, dy = values[i] - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
  }
  return std::max(0.0, yy - xy * xy / xx);
}

}  // namespace

double about_best_ramp(std::span<const double> values, std::size_t least_steps) {
  if (values.size() < 2) return 0;
  double least = about_line(values, [](std::size_t i) { return double(i); });
  for (std::size_t bend = 1; bend + 1 < values.size(); ++bend) {
    const auto rises_after = [&](std::size_t i) { return i > bend ? double(i - bend) : 0.0; };
    const auto rises_before = [&](std::size_t i) { return double(std::min(i, bend)); };
    if (values.size() - 1 - bend >= least_steps)
      least = std::min(least, about_line(values, rises_after));
    if (bend >= least_steps) least = std::min(least, about_line(values, rises_before));
  }
  return least;
}

double about_step(std::span<const double> values, std::size_t at) {
  return about_mean(values.first(at)) + about_mean(values.subspan(at));
}

}  // namespace plumbline
