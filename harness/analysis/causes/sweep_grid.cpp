#include "analysis/causes/sweep_grid.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "core/run/run.h"

namespace plumbline {
namespace {

/// Readers cannot keep larger sets of values in mind.
constexpr std::size_t kMostValues = 4;

double number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : kUnknown;
}

/// Numbers first, in rising order; then other texts, sorted.
bool comes_first(const std::string& a, const std::string& b) {
  const double x = number_of(a), y = number_of(b);
  if (std::isnan(x) != std::isnan(y)) return std::isnan(y);
  if (!std::isnan(x) && x != y) return x < y;
  return a < b;
}

void sort_values(GridAxis& axis) {
  std::vector<std::uint32_t> order(axis.values.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin() + 1, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return comes_first(axis.values[a], axis.values[b]);
  });
  std::vector<std::uint32_t> place(order.size());
  std::vector<std::string> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(axis.values[order[i]]);
  }
  axis.values = std::move(sorted);
  for (std::uint32_t& code : axis.codes) code = place[code];
  axis.is_numeric = true;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    axis.numbers.push_back(i == 0 ? kUnknown : number_of(axis.values[i]));
    if (i > 0 && std::isnan(axis.numbers[i])) axis.is_numeric = false;
  }
}

std::vector<std::uint32_t> codes_of(const GridAxis& axis, std::span<const std::size_t> points) {
  std::vector<bool> seen(axis.values.size());
  for (const std::size_t point : points) seen[axis.codes[point]] = true;
  std::vector<std::uint32_t> codes;
  for (std::uint32_t code = 0; code < seen.size(); ++code)
    if (seen[code]) codes.push_back(code);
  return codes;
}

/// Lists the values or the exceptions, whichever are fewer; "" (the default) counts as a value.
AxisCondition set_condition(const GridAxis& axis, const std::vector<bool>& allowed) {
  std::vector<bool> occurs(axis.values.size());
  for (const std::uint32_t code : axis.codes) occurs[code] = true;
  std::vector<std::string> inside, outside;
  for (std::size_t code = 0; code < allowed.size(); ++code)
    if (occurs[code]) (allowed[code] ? inside : outside).push_back(axis.values[code]);
  const bool is_except = outside.size() < inside.size();
  return {axis.name, is_except ? outside : inside, is_except, {}, {}};
}

}  // namespace

std::vector<GridAxis> grid_of(std::span<const SweepPoint> points) {
  std::map<std::string_view, std::size_t> places;
  for (const SweepPoint& point : points)
    for (const auto& [name, value] : point.params) places.emplace(name, 0);
  std::vector<GridAxis> axes;
  for (auto& [name, place] : places) {
    place = axes.size();
    axes.push_back({std::string(name), {""}, {}, false, {}});
    axes.back().codes.assign(points.size(), 0);
  }
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> known(axes.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const auto& [name, value] : points[i].params) {
      const std::size_t at = places.at(name);
      const auto [code, is_new] = known[at].emplace(value, axes[at].values.size());
      if (is_new) axes[at].values.push_back(value);
      axes[at].codes[i] = code->second;
    }
  for (GridAxis& axis : axes) sort_values(axis);
  return axes;
}

std::vector<Literal> tightest(const std::vector<GridAxis>& axes,
                              std::span<const std::size_t> points) {
  std::vector<Literal> literals;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::vector<std::uint32_t> codes = codes_of(axes[i], points);
    if (codes.size() == 1) {
      literals.push_back({i, Literal::Kind::equal, codes[0], {}});
    } else if (axes[i].is_numeric && codes[0] != 0) {
      literals.push_back({i, Literal::Kind::at_least, codes.front(), {}});
      literals.push_back({i, Literal::Kind::at_most, codes.back(), {}});
    } else if (codes.size() <= kMostValues || codes.size() + 2 >= axes[i].values.size()) {
      Literal set{i, Literal::Kind::one_of, 0, std::vector<bool>(axes[i].values.size())};
      for (const std::uint32_t code : codes) set.allowed[code] = true;
      literals.push_back(std::move(set));
    }
  }
  return literals;
}

std::vector<AxisCondition> conditions_of(const std::vector<GridAxis>& axes,
                                         std::span<const Literal> literals) {
  std::vector<AxisCondition> conditions;
  for (const Literal& literal : literals) {
    const GridAxis& axis = axes[literal.axis];
    if (literal.kind == Literal::Kind::one_of) {
      conditions.push_back(set_condition(axis, literal.allowed));
      continue;
    }
    if (literal.kind == Literal::Kind::equal) {
      conditions.push_back({axis.name, {axis.values[literal.code]}, false, {}, {}});
      continue;
    }
    const auto known = std::ranges::find(conditions, axis.name, &AxisCondition::name);
    AxisCondition& range =
        known == conditions.end()
            ? conditions.emplace_back(AxisCondition{axis.name, {}, false, {}, {}})
            : *known;
    (literal.kind == Literal::Kind::at_least ? range.low : range.high) = axis.numbers[literal.code];
  }
  std::ranges::sort(conditions, {}, &AxisCondition::name);
  return conditions;
}

}  // namespace plumbline
