#include "reports/axis.h"

#include <cmath>

namespace plumbline {
namespace {

constexpr double kClose = 1e-9;  // fraction of a step by which a tick may lie outside

/// The smallest step with at most `most` steps.
double linear_step(double low, double high, std::size_t most) {
  const double rough = (high - low) / double(most);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double part : {5, 2, 1})
    if (part * power >= rough) step = part * power;
  return step;
}

std::vector<double> linear_ticks(double low, double high, std::size_t most) {
  double step = linear_step(low, high, most);
  // A single number does not show the scale, so a smaller step is taken then.
  if (std::floor(high / step + kClose) - std::ceil(low / step - kClose) + 1 < 2)
    step = linear_step(low, high, 2 * most);
  std::vector<double> ticks;
  for (double at = std::ceil(low / step - kClose); at * step <= high + kClose * step; ++at)
    ticks.push_back(at * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high, std::size_t most) {
  std::vector<double> ticks, tens;
  for (double power = std::floor(std::log10(low)); power <= std::ceil(std::log10(high)); ++power)
    for (const double part : {1, 2, 5}) {
      const double tick = part * std::pow(10, power);
      if (tick < low * (1 - kClose) || tick > high * (1 + kClose)) continue;
      ticks.push_back(tick);
      if (part == 1) tens.push_back(tick);
    }
  if (ticks.size() <= most) return ticks;
  std::vector<double> kept;
  const std::size_t every = (tens.size() + most - 1) / most;
  for (std::size_t i = 0; i < tens.size(); i += every) kept.push_back(tens[i]);
  return kept;
}

}  // namespace

double Axis::at(double value) const {
  const auto place = [&](double v) { return is_log ? std::log(v) : v; };
  const double share = high > low ? (place(value) - place(low)) / (place(high) - place(low)) : 0.5;
  return from + share * (to - from);
}

std::vector<double> Axis::ticks(std::size_t most) const {
  return is_log ? log_ticks(low, high, most) : linear_ticks(low, high, most);
}

}  // namespace plumbline
