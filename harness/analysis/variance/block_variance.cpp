#include "analysis/variance/block_variance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <span>

#include "analysis/estimate/estimate.h"
#include "stats/descriptive.h"

namespace plumbline {
namespace {

constexpr std::size_t kLineBlocks = 4;  // fewest blocks of a visit for a line fit

/// Variance of the median of n values, relative to that of one value: the asymptotic π/2/n,
/// corrected to be exact for n = 1 and within 1 % for odd n of a normal distribution.
double median_factor(std::size_t n) {
  constexpr double kHalfPi = std::numbers::pi / 2;
  return kHalfPi / (static_cast<double>(n) + kHalfPi - 1);
}

/// Centred times scaled to unit length; zeros if no line is to be fitted. `square`: the sum of
/// squares before scaling.
std::vector<double> unit_times(const VisitBlocks& visit, double& square) {
  std::vector<double> unit(visit.size(), 0.0);
  square = 0;
  if (visit.times_s.size() < kLineBlocks) return unit;
  const double center = mean(visit.times_s);
  for (const double t : visit.times_s) square += (t - center) * (t - center);
  if (!(square > 0)) return unit;
  for (std::size_t i = 0; i < unit.size(); ++i)
    unit[i] = (visit.times_s[i] - center) / std::sqrt(square);
  return unit;
}

/// Sums of the values by placement.
std::vector<double> placed_sums(const VisitBlocks& visit, std::span<const double> values) {
  std::vector<double> sums(visit.place_count);
  for (std::size_t i = 0; i < values.size(); ++i) sums[visit.places[i]] += values[i];
  return sums;
}

/// The values minus the means of their placements.
std::vector<double> within_places(const VisitBlocks& visit, std::vector<double> values) {
  const std::vector<double> sums = placed_sums(visit, values);
  const std::vector<double> sizes = placed_sums(visit, std::vector<double>(visit.size(), 1.0));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] -= sums[visit.places[i]] / sizes[visit.places[i]];
  return values;
}

double square_of(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += value * value;
  return total;
}

}  // namespace

VisitBlocks blocks_of(const ResultRow& row, double mean) {
  VisitBlocks visit;
  const std::size_t count = row.samples.blocks();
  const bool has_times =
      row.block_times_s.size() == count &&
      std::ranges::all_of(row.block_times_s, [](double t) { return std::isfinite(t); });
  const bool has_places = row.block_placements.size() == count;
  std::map<std::int64_t, std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const double> block = row.samples.block(i);
    if (block.empty()) continue;
    if (!counts(row, i)) {
      ++visit.set_aside;
      continue;
    }
    visit.values.push_back(median(block) / mean);
    visit.samples += block.size();
    visit.per_launch += median_factor(block.size());
    if (has_times) visit.times_s.push_back(row.block_times_s[i]);
    if (has_places)
      visit.places.push_back(
          places.try_emplace(row.block_placements[i], places.size()).first->second);
  }
  visit.per_launch /= static_cast<double>(visit.size());
  visit.place_count = places.size();
  return visit;
}

double place_weight(const VisitBlocks& visit) {
  const double n = static_cast<double>(visit.size());
  if (visit.places.empty()) return 1 / n;
  return square_of(placed_sums(visit, std::vector<double>(visit.size(), 1.0))) / (n * n);
}

std::optional<LineFit> add_moments(const VisitBlocks& visit, BlockMoments& sum) {
  const double n = static_cast<double>(visit.size());
  if (visit.size() < 2) return std::nullopt;
  LineFit fit;
  const std::vector<double> unit = unit_times(visit, fit.times_square);
  const bool has_line = fit.times_square > 0;
  std::vector<double> rest = visit.values;
  const double center = mean(rest);
  double along = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) along += unit[i] * (rest[i] -= center);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= along * unit[i];
  const double df = n - (has_line ? 2 : 1);
  sum.around_line += square_of(rest);
  sum.df += df;
  if (!visit.places.empty()) {
    fit.placements = square_of(placed_sums(visit, unit));
    sum.placed_around_line += square_of(rest);
    sum.placed_df += df;
    sum.placements += n - n * place_weight(visit) - fit.placements;
    const std::vector<double> values = within_places(visit, visit.values);
    sum.same_place += square_of(values);
    sum.same_place_df += n - static_cast<double>(visit.place_count);
    if (!visit.times_s.empty()) {
      const std::vector<double> times = within_places(visit, visit.times_s);
      sum.times += std::inner_product(times.begin(), times.end(), values.begin(), 0.0);
      sum.times_square += square_of(times);
    }
  }
  if (!has_line) return std::nullopt;
  const auto [first, last] = std::ranges::minmax(visit.times_s);
  fit.length_s = last - first;
  fit.slope = along / std::sqrt(fit.times_square);
  fit.explained = along * along;
  fit.blocks = visit.size();
  return fit;
}

BlockVariances solve(const BlockMoments& sum) {
  BlockVariances found;
  if (sum.df < kLeastDf) return found;
  found.block = sum.around_line / sum.df;
  const bool has_slope = sum.times_square > 0;
  found.revisit_df = std::max(0.0, sum.same_place_df - (has_slope ? 1 : 0));
  found.placement_df = std::max(0.0, sum.placed_df - sum.same_place_df);
  if (found.revisit_df < kLeastDf) return found;
  const double slope_square = has_slope ? sum.times * sum.times / sum.times_square : 0;
  found.revisit = (sum.same_place - slope_square) / found.revisit_df;
  if (found.placement_df < kLeastDf || !(sum.placements > 0)) return found;
  found.placement = (sum.placed_around_line - sum.placed_df * found.revisit) / sum.placements;
  found.block = found.revisit + found.placement;
  return found;
}

}  // namespace plumbline
