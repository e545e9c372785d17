#include "stats/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "stats/descriptive.h"

namespace plumbline {
namespace {

double env(const char* name, double other) {
  const char* text = std::getenv(name);
  return text ? std::atof(text) : other;
}

double innovations(const std::vector<double>& e) {
  double squares = 0, products = 0;
  for (std::size_t i = 1; i < e.size(); ++i) {
    squares += e[i - 1] * e[i - 1];
    products += e[i] * e[i - 1];
  }
  const double r = squares > 0 ? std::clamp(products / squares, 0.0, 0.99) : 0;
  double rest = e[0] * e[0] * (1 - r * r);
  for (std::size_t i = 1; i < e.size(); ++i) rest += (e[i] - r * e[i - 1]) * (e[i] - r * e[i - 1]);
  return rest;
}

}  // namespace

double about_level_with_memory(std::span<const double> values) {
  std::vector<double> e(values.begin(), values.end());
  const double middle = mean(values);
  for (double& value : e) value -= middle;
  return innovations(e);
}

double about_step_with_memory(std::span<const double> values, std::size_t at) {
  const double before = mean(values.first(at)), after = mean(values.subspan(at));
  std::vector<double> e(values.begin(), values.end());
  for (std::size_t i = 0; i < e.size(); ++i) e[i] -= i < at ? before : after;
  return innovations(e);
}

double beyond_memory(std::span<const double> values, double rest) {
  const double none = about_level_with_memory(values);
  return none <= rest ? 0 : rest <= 0 ? INFINITY : double(values.size()) * std::log(none / rest);
}

double bar_of_memory(std::size_t size) { return env("PEN", 4) * std::log(double(size)); }

}  // namespace plumbline
