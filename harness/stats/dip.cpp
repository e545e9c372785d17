#include "stats/dip.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "stats/descriptive.h"
#include "stats/dip_table.h"

namespace plumbline {
namespace {

/// The empirical distribution function: at x it steps from `below` to `up_to` values.
struct Step {
  double x, below, up_to;
};

std::vector<Step> steps_of(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (steps.empty() || sorted[i] != steps.back().x)
      steps.push_back({sorted[i], static_cast<double>(i), 0});
    steps.back().up_to = static_cast<double>(i + 1);
  }
  return steps;
}

/// A line through some of the steps, by their indices: the largest convex one below them (through
/// their lower corners) or the smallest concave one above them (through their upper corners).
struct Hull {
  std::vector<std::size_t> vertices;
  double Step::*corner;
};

/// Of steps first … last. `side` is 1 for the convex line below, -1 for the concave one above.
void build(Hull& hull, const std::vector<Step>& steps, std::size_t first, std::size_t last,
           double side) {
  auto& kept = hull.vertices;
  kept.clear();
  for (std::size_t i = first; i <= last; ++i) {
    while (kept.size() >= 2) {
      const Step &a = steps[kept[kept.size() - 2]], &b = steps[kept.back()], &c = steps[i];
      const double rise_b = b.*hull.corner - a.*hull.corner;
      const double rise_c = c.*hull.corner - a.*hull.corner;
      if (side * (rise_b * (c.x - a.x) - rise_c * (b.x - a.x)) < 0) break;  // b is a corner
      kept.pop_back();
    }
    kept.push_back(i);
  }
}

/// Height of the hull at step i, which lies on the piece that ends at vertex number `piece`.
double height(const Hull& hull, const std::vector<Step>& steps, std::size_t piece, std::size_t i) {
  const Step& right = steps[hull.vertices[piece]];
  if (steps[i].x == right.x) return right.*hull.corner;
  const Step& left = steps[hull.vertices[piece - 1]];
  return left.*hull.corner +
         (right.*hull.corner - left.*hull.corner) * ((steps[i].x - left.x) / (right.x - left.x));
}

/// Where the two lines are farthest apart, at a vertex of either, and the vertices of the other one
/// beside it: the modal interval that comes next.
struct Gap {
  double size = 0;
  std::size_t low = 0, high = 0;
};

Gap widest_gap(const Hull& convex, const Hull& concave, const std::vector<Step>& steps) {
  Gap gap;
  std::size_t piece = 0;
  for (const std::size_t i : convex.vertices) {  // a vertex below, the concave line above it
    while (concave.vertices[piece] < i) ++piece;
    const double size = height(concave, steps, piece, i) - steps[i].below;
    if (size > gap.size) gap = {size, i, concave.vertices[piece]};
  }
  piece = 0;
  for (const std::size_t i : concave.vertices) {
    while (convex.vertices[piece] < i) ++piece;
    const double size = steps[i].up_to - height(convex, steps, piece, i);
    const std::size_t left = convex.vertices[piece] == i ? piece : piece - 1;
    if (size > gap.size) gap = {size, convex.vertices[left], i};
  }
  return gap;
}

/// How far the steps begin … end − 1 leave the hull on its other side. The mode's own step, at the
/// end of a hull, is none of them: there a unimodal distribution may jump.
double farthest(const Hull& hull, const std::vector<Step>& steps, std::size_t begin,
                std::size_t end, double Step::*other) {
  double most = 0;
  std::size_t piece = 0;
  for (std::size_t i = begin; i < end; ++i) {
    while (hull.vertices[piece] < i) ++piece;
    most = std::max(most, std::abs(steps[i].*other - height(hull, steps, piece, i)));
  }
  return most;
}

/// sqrt(n) × dip at each tail, for a sample size between two rows of the table.
std::array<double, kDipTails.size()> quantiles_for(double n) {
  const auto after = std::ranges::find_if(kDipTable, [n](const auto& row) { return row.n >= n; });
  if (after == kDipTable.end()) return kDipTable.back().scaled;
  if (after->n == n) return after->scaled;
  const auto before = after - 1;
  const double share = (1 / std::sqrt(n) - 1 / std::sqrt(before->n)) /
                       (1 / std::sqrt(after->n) - 1 / std::sqrt(before->n));
  std::array<double, kDipTails.size()> between;
  for (std::size_t i = 0; i < between.size(); ++i)
    between[i] = std::lerp(before->scaled[i], after->scaled[i], share);
  return between;
}

}  // namespace

double dip_statistic(std::span<const double> values) {
  require_finite(values, 1, "dip");
  const std::vector<Step> steps = steps_of(values);
  Hull convex{{}, &Step::below}, concave{{}, &Step::up_to};
  std::size_t low = 0, high = steps.size() - 1;
  double dip = 1;  // in values
  for (;;) {
    build(convex, steps, low, high, 1);
    build(concave, steps, low, high, -1);
    const Gap gap = widest_gap(convex, concave, steps);
    if (gap.size <= dip) break;
    dip = std::max({dip, farthest(convex, steps, low, gap.low, &Step::up_to),
                    farthest(concave, steps, gap.high + 1, high + 1, &Step::below)});
    if (gap.low == low && gap.high == high) break;
    low = gap.low;
    high = gap.high;
  }
  return dip / (2 * static_cast<double>(values.size()));
}

double dip_p_value(double dip, std::size_t n) {
  const double least = 0.5 / static_cast<double>(n);  // the table rounds it
  if (static_cast<double>(n) < kDipTable.front().n || dip <= least * (1 + 1e-9)) return 1;
  const double scaled = std::sqrt(static_cast<double>(n)) * dip;
  const auto quantiles = quantiles_for(static_cast<double>(n));
  if (scaled >= quantiles.back()) return kDipTails.back();
  const auto above = std::ranges::upper_bound(quantiles, scaled);
  const auto i = static_cast<std::size_t>(above - quantiles.begin());
  if (i == 0) return 1;
  const double share = (scaled - quantiles[i - 1]) / (quantiles[i] - quantiles[i - 1]);
  return std::exp(std::lerp(std::log(kDipTails[i - 1]), std::log(kDipTails[i]), share));
}

}  // namespace plumbline
