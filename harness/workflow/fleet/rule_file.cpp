#include "workflow/fleet/rule_file.h"

#include <fmt/format.h>

#include <cmath>

#include "core/value.h"
#include "suite/yaml/reader.h"
#include "suite/yaml/yaml.h"
#include "workflow/fleet/rule_keys.h"

namespace plumbline {
namespace {

std::string read_pattern(const YamlNode& node, const std::string& what) {
  if (node.kind != YamlNode::Kind::scalar || node.text.empty())
    fail_on_kind(node, what, "a name or a pattern such as gemm*");
  return node.text;
}

double read_slower(const YamlNode& node) {
  const auto percent = number_of_percent(node);
  constexpr double kMost = 1000;
  if (!percent || !(*percent > 0 && *percent <= kMost))
    fail_on_kind(node, "'slower_than_class'", "a share above 0 such as 5%");
  return std::log1p(*percent / 100);
}

NumberLimit read_limit(const YamlNode& node, const FleetFact& fact) {
  const std::string what = fmt::format("'{}'", fact.name);
  NumberLimit limit;
  limit.fact = &fact;
  if (const auto* yes = std::get_if<bool>(&node.value);
      fact.is_flag && node.kind == YamlNode::Kind::scalar && yes) {
    limit.relation = NumberLimit::Relation::equal;
    limit.limit = *yes ? 1 : 0;
    limit.text = *yes ? "true" : "false";
    return limit;
  }
  if (fact.is_flag) fail_on_kind(node, what, "true or false");
  const std::string allowed = R"(a relation and a number in quotes, such as "> 0")";
  if (node.kind != YamlNode::Kind::scalar) fail_on_kind(node, what, allowed);
  for (const auto& [text, relation] : kRelations) {
    if (!node.text.starts_with(text)) continue;
    std::string_view number = std::string_view(node.text).substr(text.size());
    number.remove_prefix(std::min(number.size(), number.find_first_not_of(' ')));
    if (!parse_number(number, limit.limit) || !std::isfinite(limit.limit)) break;
    limit.relation = relation;
    limit.text = fmt::format("{} {}", text, number);
    return limit;
  }
  fail_on_kind(node, what, allowed);
}

const EnvironmentField* read_entry(const YamlNode& node) {
  std::vector<std::string> names;
  const std::string name = read_text(node, "'differs_from_class'");
  if (const EnvironmentField* field = environment_field(name)) return field;
  for (const EnvironmentField& field : environment_fields()) names.emplace_back(field.name);
  fail_at(node.at,
          fmt::format("'{}' is no entry of the environment{}", name, allowed_names(name, names)));
}

/// One of two words: true for the first.
bool read_word(const YamlNode& node, const std::string& what, std::string_view first,
               std::string_view second) {
  const std::string word = read_text(node, what);
  if (word != first && word != second)
    fail_at(node.at, fmt::format("found '{}'; {} is {} or {}", word, what, first, second));
  return word == first;
}

void read_true(const YamlNode& node, const std::string& what) {
  const auto* const yes = std::get_if<bool>(&node.value);
  if (node.kind != YamlNode::Kind::scalar || !yes || !*yes)
    fail_on_kind(node, what, "true; leave it out otherwise");
}

void read_conditions(const YamlNode& node, FleetRuleLine& rule) {
  if (const YamlEntry* entry = find_entry(node, "slower_than_class"))
    rule.slower_by = read_slower(*entry->value);
  if (const YamlEntry* entry = find_entry(node, "family")) {
    rule.family = read_pattern(*entry->value, "'family'");
    if (!rule.slower_by)
      fail_at(entry->at, "'family' is for slower_than_class, which this rule lacks");
  }
  if (const YamlEntry* entry = find_entry(node, "differs_from_class"))
    rule.differs = read_entry(*entry->value);
  if (const YamlEntry* entry = find_entry(node, "not_measured")) {
    read_true(*entry->value, "'not_measured'");
    rule.not_measured = true;
  }
  for (const FleetFact& fact : fleet_facts())
    if (const YamlEntry* entry = find_entry(node, fact.name))
      rule.limits.push_back(read_limit(*entry->value, fact));
}

FleetRuleLine read_rule(const YamlNode& node) {
  check_keys(node, fleet_rule_keys(), "a rule");
  FleetRuleLine rule;
  rule.at = fmt::format("{}:{}", node.at.file->path, node.at.line);
  if (const YamlEntry* entry = find_entry(node, "name"))
    rule.name = read_text(*entry->value, "'name'");
  if (const YamlEntry* entry = find_entry(node, "class"))
    rule.device_class = read_pattern(*entry->value, "'class'");
  read_conditions(node, rule);
  if (!rule.slower_by && !rule.differs && !rule.not_measured && rule.limits.empty())
    fail_at(node.at,
            "the rule has no condition; add slower_than_class, differs_from_class, not_measured or "
            "a limit such as ecc_uncorrected: \"> 0\"");
  const YamlPtr& action = required(node, "action", "a rule", "; it is drain or watch");
  rule.action =
      read_word(*action, "'action'", "drain", "watch") ? FleetAction::drain : FleetAction::watch;
  if (const YamlEntry* entry = find_entry(node, "if_unknown"))
    rule.ignores_unknown = read_word(*entry->value, "'if_unknown'", "ignore", "report");
  return rule;
}

}  // namespace

std::vector<FleetRuleLine> read_fleet_rules(const std::string& path) {
  const YamlFile file = read_yaml_file(path);
  const YamlPtr root = parse_yaml(file);
  check_keys(*root, kFleetFileKeys, "a rule file");
  const YamlPtr& list = required(*root, "rules", "a rule file", "");
  if (list->kind != YamlNode::Kind::list || list->items.empty())
    fail_on_kind(*list, "'rules'", "a list with at least one rule");
  std::vector<FleetRuleLine> rules;
  for (const YamlPtr& item : list->items) rules.push_back(read_rule(*item));
  return rules;
}

}  // namespace plumbline
