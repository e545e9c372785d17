#include "suite/sweep/range.h"

#include <array>
#include <cmath>

#include "suite/schema/keys.h"
#include "suite/sweep/sweep.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

YamlPtr scalar_at(const YamlPlace& at, const Value& value) {
  auto node = std::make_shared<YamlNode>();
  node->kind = YamlNode::Kind::scalar;
  node->at = at;
  node->value = value;
  node->text = to_text(value);
  return node;
}

bool is_integer(const YamlNode& node) { return std::holds_alternative<std::int64_t>(node.value); }

void check_count(const YamlPlace& at, double count) {
  if (!(count <= double(kMostCases)))
    fail_at(at, "this range has " + shortest_text(count) +
                    " values; allowed: " + std::to_string(kMostCases));
}

/// `count` values starting at `from`; integers if `as_integers`.
std::vector<YamlPtr> steps(const YamlPlace& at, double from, double step, double count,
                           bool as_integers) {
  check_count(at, count);
  std::vector<YamlPtr> values;
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const double value = from + double(i) * step;
    values.push_back(scalar_at(at, as_integers ? Value(std::int64_t(value)) : Value(value)));
  }
  return values;
}

/// Integers are computed as doubles, exact up to 2^53.
double read_bound(const YamlNode& node, const std::string& what) {
  const double number = read_number(node, what);
  if (std::abs(number) > 9007199254740992.0) fail_on_kind(node, what, "within ± 2^53");
  return number;
}

std::vector<YamlPtr> from_to(const YamlNode& node, const std::string& what) {
  const auto bound = [&](const char* key) -> const YamlNode& {
    return *required(node, key, "the range of " + what, "; a range is {from: 1, to: 9, step: 2}");
  };
  const YamlNode &from = bound("from"), &to = bound("to");
  const YamlEntry* step = find_entry(node, "step");
  const double first = read_bound(from, "from");
  const double last = read_bound(to, "to");
  const double width = step ? read_bound(*step->value, "step") : 1;
  if (width == 0) fail_at(step->value->at, "found a step of 0; it is a number other than 0");
  const double count = std::floor((last - first) / width + 1e-9) + 1;
  if (count < 1)
    fail_at(node.at, "the range of " + what + " is empty: no step of " + shortest_text(width) +
                         " leads from " + shortest_text(first) + " to " + shortest_text(last));
  const bool as_integers = is_integer(from) && (!step || is_integer(*step->value));
  return steps(node.at, first, width, count, as_integers);
}

std::vector<YamlPtr> read_tuple(const YamlNode& node, std::size_t size, const std::string& what) {
  if (node.kind != YamlNode::Kind::list || node.items.size() != size)
    fail_on_kind(node, what, size == 2 ? "a list of two: [a, b]" : "a list of three: [a, b, n]");
  return node.items;
}

std::vector<YamlPtr> pow2(const YamlNode& node) {
  const auto bounds = read_tuple(node, 2, "pow2");
  std::array<std::int64_t, 2> exponents{};
  for (std::size_t i = 0; i < 2; ++i) {
    if (!is_integer(*bounds[i])) fail_on_kind(*bounds[i], "an exponent of pow2", "an integer");
    exponents[i] = std::get<std::int64_t>(bounds[i]->value);
    if (exponents[i] < 0 || exponents[i] > 62)
      fail_on_kind(*bounds[i], "an exponent of pow2", "from 0 to 62");
  }
  if (exponents[0] > exponents[1])
    fail_at(node.at, "the range pow2 is empty: its first exponent is above its second");
  std::vector<YamlPtr> values;
  for (std::int64_t e = exponents[0]; e <= exponents[1]; ++e)
    values.push_back(scalar_at(node.at, std::int64_t{1} << e));
  return values;
}

std::vector<YamlPtr> linspace(const YamlNode& node) {
  const auto tuple = read_tuple(node, 3, "linspace");
  const double first = read_bound(*tuple[0], "the start of linspace");
  const double last = read_bound(*tuple[1], "the end of linspace");
  const double count = read_bound(*tuple[2], "the number of values of linspace");
  if (!is_integer(*tuple[2]) || count < 2)
    fail_on_kind(*tuple[2], "the number of values of linspace", "an integer of at least 2");
  const double step = (last - first) / (count - 1);
  const bool as_integers =
      is_integer(*tuple[0]) && is_integer(*tuple[1]) && step == std::trunc(step);
  return steps(node.at, first, step, count, as_integers);
}

}  // namespace

std::vector<YamlPtr> read_range(const YamlNode& node, const std::string& what) {
  check_keys(node, kRangeKeys, "the range of " + what);
  if (find_entry(node, "from") || find_entry(node, "to") || find_entry(node, "step")) {
    for (const YamlEntry& entry : node.entries)
      if (entry.key != "from" && entry.key != "to" && entry.key != "step")
        fail_at(entry.at,
                "found '" + entry.key + "' beside from, to, step; a range is one of them");
    return from_to(node, what);
  }
  if (node.entries.size() != 1)
    fail_at(node.at, "found " +
                         std::string(node.entries.empty() ? "an empty map" : "several ranges") +
                         "; the range of " + what +
                         " is one of {from, to, step}, {pow2}, {linspace}, {values}");
  const YamlEntry& entry = node.entries.front();
  if (entry.key == "pow2") return pow2(*entry.value);
  if (entry.key == "linspace") return linspace(*entry.value);
  return read_items(entry.value, "'values'");
}

}  // namespace plumbline
