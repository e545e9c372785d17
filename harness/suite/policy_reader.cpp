#include "suite/policy_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/error.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

std::string flag_of(std::string_view option) {
  std::string flag = "--" + std::string(option);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const PolicyField& field : policy_fields()) names.emplace_back(field.name);
  return names;
}

void set_list(const PolicyField& field, const YamlPtr& node, std::vector<std::string>& values) {
  const std::string what = "'" + std::string(field.name) + "'";
  const std::vector<std::string> allowed(field.allowed.begin(), field.allowed.end());
  values.clear();
  for (const YamlPtr& item : read_items(node, what)) {
    const std::string value = read_text(*item, "a value of " + what);
    if (std::ranges::find(allowed, value) == allowed.end())
      fail_at(item->at,
              "'" + value + "' is not allowed for " + what + allowed_names(value, allowed));
    if (std::ranges::find(values, value) != values.end())
      fail_at(item->at, "'" + value + "' appears twice in " + what);
    values.push_back(value);
  }
}

double read_in_range(const PolicyField& field, const YamlNode& node, bool as_integer) {
  std::string allowed = std::string(as_integer ? "an integer" : "a number") + " from " +
                        shortest_text(field.minimum) + " to " + shortest_text(field.maximum);
  if (const auto share = number_of_percent(node)) allowed += ": " + shortest_text(*share / 100);
  const auto* real = std::get_if<double>(&node.value);
  const auto* integer = std::get_if<std::int64_t>(&node.value);
  const bool is_number = node.kind == YamlNode::Kind::scalar && (real || integer);
  const double value = !is_number ? NAN : integer ? double(*integer) : *real;
  const bool is_in_range = value >= field.minimum && value <= field.maximum;  // false for NaN
  if (!is_in_range || (as_integer && value != std::trunc(value)))
    fail_on_kind(node, "'" + std::string(field.name) + "'", allowed);
  return value;
}

void set_field(const PolicyField& field, const YamlPtr& node, Policy& policy) {
  if (const auto* list = std::get_if<std::vector<std::string> Policy::*>(&field.member))
    set_list(field, node, policy.*(*list));
  else if (const auto* integer = std::get_if<std::int64_t Policy::*>(&field.member))
    policy.*(*integer) = static_cast<std::int64_t>(read_in_range(field, *node, true));
  else
    policy.*std::get<double Policy::*>(field.member) = read_in_range(field, *node, false);
}

}  // namespace

void read_policy(const YamlNode& map, Policy& policy) {
  if (map.kind != YamlNode::Kind::map)
    fail_on_kind(map, "'measure'", "a map of options: " + joined(option_names()));
  for (const YamlEntry& entry : map.entries) {
    const PolicyField* field = policy_field(entry.key);
    if (!field)
      fail_at(entry.at, "unknown key '" + entry.key + "' in 'measure'" +
                            allowed_names(entry.key, option_names()));
    set_field(*field, entry.value, policy);
  }
}

void apply_policy_overrides(const std::vector<std::pair<std::string, std::string>>& overrides,
                            Policy& policy) {
  for (const auto& [name, text] : overrides) {
    const PolicyField* field = policy_field(name);
    if (!field) throw Error("unknown option '" + name + "'" + allowed_names(name, option_names()));
    const YamlFile file{flag_of(name), "[" + text + "]", false};
    const bool is_list = !field->allowed.empty();
    const YamlPtr node = parse_yaml(file);
    const bool is_single = node->kind == YamlNode::Kind::list && node->items.size() == 1;
    set_field(*field, is_single && !is_list ? node->items.front() : node, policy);
  }
}

void check_policy(const Policy& policy,
                  const std::vector<std::pair<std::string, std::string>>& overrides,
                  std::initializer_list<const YamlNode*> maps, const YamlPlace& benchmark) {
  const std::string mistake = policy_mistake(policy);
  if (mistake.empty()) return;
  constexpr std::array<std::string_view, 2> kBounds{"blocks_min", "blocks_max"};
  for (const auto& [name, text] : overrides)
    if (std::ranges::find(kBounds, name) != kBounds.end())
      throw Error(flag_of(name) + ' ' + text + ": " + mistake + " in the benchmark at " +
                  benchmark.file->path + ':' + std::to_string(benchmark.line));
  for (const YamlNode* map : maps)
    for (const std::string_view bound : kBounds)
      if (const YamlEntry* entry = map ? find_entry(*map, bound) : nullptr)
        fail_at(entry->at, mistake +
                               " (of the benchmark's 'measure', the suite's and the defaults "
                               "together)");
  fail_at(benchmark, mistake);
}

}  // namespace plumbline
