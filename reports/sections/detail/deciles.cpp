#include "reports/sections/detail/deciles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "analysis/estimate/estimate.h"
#include "reports/markup.h"
#include "reports/template.h"
#include "stats/descriptive.h"
#include "stats/student_t.h"

namespace plumbline {
namespace {

constexpr std::array kShares{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
constexpr std::size_t kDeciles = kShares.size();
constexpr double kConfidence = 0.99;
using Logs = std::array<double, kDeciles>;

std::vector<double> values_of(const ResultRow& row) {
  std::vector<double> values;
  for (std::size_t i = 0; i < row.samples.blocks(); ++i) {
    if (!counts(row, i)) continue;
    const std::span<const double> block = row.samples.block(i);
    values.insert(values.end(), block.begin(), block.end());
  }
  return values;
}

/// Logarithms of the deciles of each visit that has enough values, all above 0.
std::vector<Logs> logs_of(const SideView& side) {
  std::vector<Logs> visits;
  for (const ResultRow* row : side.visits) {
    const std::vector<double> values = values_of(*row);
    const bool is_usable = std::ranges::all_of(values, [](double v) { return v > 0; });
    if (values.size() < kDecileValuesMin || !is_usable) continue;
    const std::vector<double> found = quantiles(values, kShares);
    std::ranges::transform(found, visits.emplace_back().begin(),
                           [](double value) { return std::log(value); });
  }
  return visits;
}

struct Part {
  double mean = kUnknown, variance = kUnknown, df = 0;  // of the mean
};

Part part_of(const std::vector<Logs>& visits, std::size_t decile) {
  Part part;
  const auto n = double(visits.size());
  if (visits.empty()) return part;
  part.mean = 0;
  for (const Logs& logs : visits) part.mean += logs[decile] / n;
  if (visits.size() < 2) return part;
  double squares = 0;
  for (const Logs& logs : visits) squares += std::pow(logs[decile] - part.mean, 2);
  part.df = n - 1;
  part.variance = squares / part.df / n;
  return part;
}

Decile decile_of(const Part& baseline, const Part& candidate) {
  Decile decile{std::exp(baseline.mean), std::exp(candidate.mean)};
  const double log_ratio = candidate.mean - baseline.mean;
  decile.change = std::expm1(log_ratio);
  const double variance = baseline.variance + candidate.variance;
  if (std::isnan(variance)) return decile;
  decile.low = decile.high = decile.change;  // visits are equal, as on a timer's grid
  if (variance == 0) return decile;
  const double df = variance * variance /
                    (std::pow(baseline.variance, 2) / baseline.df +
                     std::pow(candidate.variance, 2) / candidate.df);
  const double half = student_t_quantile(0.5 + kConfidence / 2, df) * std::sqrt(variance);
  decile.low = std::expm1(log_ratio - half);
  decile.high = std::expm1(log_ratio + half);
  return decile;
}

}  // namespace

std::vector<Decile> deciles_of(const CaseView& view) {
  const std::vector<Logs> baseline = logs_of(view.baseline);
  const std::vector<Logs> candidate = logs_of(view.candidate);
  std::vector<Decile> deciles;
  if (baseline.empty() && candidate.empty()) return deciles;
  for (std::size_t d = 0; d < kDeciles; ++d)
    deciles.push_back(decile_of(part_of(baseline, d), part_of(candidate, d)));
  return deciles;
}

std::string deciles_json(const std::vector<Decile>& deciles) {
  if (deciles.empty()) return "null";
  PageData list = PageData::array();
  for (const Decile& d : deciles)
    list.push_back({d.baseline, d.candidate, d.change, d.low, d.high});
  return script_json(list);
}

}  // namespace plumbline
