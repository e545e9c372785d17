#include "analysis/causes/region.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/causes/sweep_grid.h"

namespace plumbline {
namespace {

using Indices = std::vector<std::size_t>;

constexpr double kRegionBits = 6;      // cost of one more region, for its reader
constexpr int kDeepestCut = 4;         // at most 16 regions
constexpr std::size_t kMostCuts = 12;  // places tried on one axis
constexpr double kHopeless = 0.97;     // cuts that leave more than this share of the exceptions'
                                       // bits show no pattern

/// log2 of the ways to choose k of n.
double choice_bits(std::size_t n, std::size_t k) {
  if (k == 0 || k >= n) return 0;
  const auto log_factorial = [](std::size_t m) { return std::lgamma(double(m) + 1); };
  return (log_factorial(n) - log_factorial(k) - log_factorial(n - k)) / std::log(2.0);
}

/// A box around some changed points: the fewest conditions that exclude as many unchanged points as
/// all of the tightest conditions would.
struct Box {
  Indices changed;
  std::vector<Literal> literals;
  Indices inside;  // unchanged points that the box cannot exclude
  double bits = 0;
};

class Search {
 public:
  explicit Search(std::vector<GridAxis> axes) : axes_(std::move(axes)) {}

  const std::vector<GridAxis>& axes() const { return axes_; }

  /// Boxes that together hold all of `changed`. Cuts where the description gets shorter.
  std::vector<Box> boxes(Indices changed, const Indices& unchanged, int depth = 0) const {
    const std::vector<Literal> walls = tightest(axes_, changed);
    Box whole{std::move(changed), {}, keep(unchanged, walls), 0};
    whole.literals = fewest(walls, unchanged, whole.inside.size());
    const double exceptions =
        choice_bits(whole.changed.size() + whole.inside.size(), whole.changed.size());
    whole.bits = kRegionBits + exceptions;
    for (const Literal& literal : whole.literals)
      whole.bits += std::log2(double(axes_.size())) +
                    std::log2(1 + double(axes_[literal.axis].values.size()));
    if (whole.inside.empty() || whole.changed.size() < 2 || depth == kDeepestCut) return {whole};
    auto [left, right] = best_cut(whole.changed, whole.inside, kHopeless * exceptions);
    if (left.empty()) return {whole};
    // Conditions are chosen against all unchanged points, not only those inside this box.
    std::vector<Box> parts = boxes(std::move(left), unchanged, depth + 1);
    std::ranges::move(boxes(std::move(right), unchanged, depth + 1), std::back_inserter(parts));
    double bits = 0;
    for (const Box& part : parts) bits += part.bits;
    if (bits < whole.bits) return parts;
    return {whole};
  }

 private:
  bool holds(std::span<const Literal> literals, std::size_t point) const {
    return std::ranges::all_of(literals,
                               [&](const Literal& literal) { return literal.holds(axes_, point); });
  }

  Indices keep(const Indices& points, std::span<const Literal> literals) const {
    Indices kept;
    for (const std::size_t point : points)
      if (holds(literals, point)) kept.push_back(point);
    return kept;
  }

  /// Simpler conditions first, then those on axes of few values.
  static int rank(const Literal& literal) {
    return literal.kind == Literal::Kind::equal ? 0 : literal.kind == Literal::Kind::one_of ? 2 : 1;
  }

  /// Adds conditions one by one: always the one that excludes most of the points still inside.
  std::vector<Literal> fewest(std::vector<Literal> walls, Indices outside,
                              std::size_t inevitable) const {
    std::ranges::stable_sort(walls, {}, rank);
    std::vector<Literal> chosen;
    while (outside.size() > inevitable) {
      std::size_t best = 0, most = 0;
      for (std::size_t i = 0; i < walls.size(); ++i) {
        const auto out = std::size_t(std::ranges::count_if(
            outside, [&](std::size_t point) { return !walls[i].holds(axes_, point); }));
        if (out > most) most = out, best = i;
      }
      std::erase_if(outside, [&](std::size_t point) { return !walls[best].holds(axes_, point); });
      chosen.push_back(walls[best]);
    }
    return chosen;
  }

  /// The cuts to try on an axis. Each says for every code whether it is left of the cut.
  std::vector<std::vector<bool>> cuts(const GridAxis& axis, const Indices& changed) const {
    std::vector<bool> occurs(axis.values.size());
    for (const std::size_t point : changed) occurs[axis.codes[point]] = true;
    std::vector<std::uint32_t> codes;
    for (std::uint32_t code = 0; code < occurs.size(); ++code)
      if (occurs[code]) codes.push_back(code);
    std::vector<std::vector<bool>> found;
    if (codes.size() < 2) return found;
    const bool is_ordered = axis.is_numeric && codes[0] != 0;
    const std::size_t places = is_ordered ? codes.size() - 1 : codes.size();
    const std::size_t tried = std::min(places, kMostCuts);
    for (std::size_t i = 0; i < tried; ++i) {
      const std::size_t at = i * places / tried;
      std::vector<bool>& is_left = found.emplace_back(axis.values.size());
      for (std::size_t code = 0; code < is_left.size(); ++code)
        is_left[code] = is_ordered ? code <= codes[at] : code == codes[at];
      if (!is_ordered && codes.size() == 2) break;  // a second cut would only swap the sides
    }
    return found;
  }

  /// The cut that leaves the fewest bits of exceptions; empty if none leaves fewer than `least`.
  std::pair<Indices, Indices> best_cut(const Indices& changed, const Indices& unchanged,
                                       double least) const {
    std::pair<Indices, Indices> best;
    for (const GridAxis& axis : axes_)
      for (const std::vector<bool>& is_left : cuts(axis, changed)) {
        std::pair<Indices, Indices> sides;
        for (const std::size_t point : changed)
          (is_left[axis.codes[point]] ? sides.first : sides.second).push_back(point);
        double bits = 0;
        for (const Indices* side : {&sides.first, &sides.second}) {
          const std::size_t inside = keep(unchanged, tightest(axes_, *side)).size();
          bits += choice_bits(inside + side->size(), side->size());
        }
        if (bits < least) least = bits, best = std::move(sides);
      }
    return best;
  }

  std::vector<GridAxis> axes_;
};

}  // namespace

std::vector<Region> regions_of(std::span<const SweepPoint> points) {
  Indices changed, unchanged;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].mark != Mark::open)
      (points[i].mark == Mark::changed ? changed : unchanged).push_back(i);
  if (changed.empty()) return {};
  const Search search(grid_of(points));
  std::vector<Box> boxes = search.boxes(std::move(changed), unchanged);
  std::ranges::stable_sort(boxes, std::greater<>(),
                           [](const Box& box) { return box.changed.size(); });
  std::vector<Region> regions;
  std::vector<bool> is_taken(points.size());
  for (const Box& box : boxes) {
    Region region;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!std::ranges::all_of(box.literals, [&](const Literal& literal) {
            return literal.holds(search.axes(), i);
          }))
        continue;
      ++region.cases;
      region.open += points[i].mark == Mark::open;
      if (points[i].mark != Mark::changed) continue;
      ++region.changed;
      if (!is_taken[i]) region.members.push_back(i);
      is_taken[i] = true;
    }
    if (region.members.empty()) continue;
    region.conditions = conditions_of(search.axes(), box.literals);
    regions.push_back(std::move(region));
  }
  return regions;
}

}  // namespace plumbline
