/// The keys of a fleet's rule file, for its reader and its schema.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "analysis/fleet/rules.h"
#include "suite/yaml/reader.h"

namespace plumbline {

inline constexpr std::array kFleetFileKeys = std::to_array<YamlKey>({
    {"rules", "each is tried on every device; one that holds decides what is done"},
});

inline constexpr std::array kFleetRuleKeys = std::to_array<YamlKey>({
    {"name", "what the rule is called in reasons; default: its conditions"},
    {"class", "device classes that it is for, a pattern with * and ?; default: all"},
    {"family", "ops that slower_than_class looks at, a pattern; `all` is all ops together"},
    {"slower_than_class",
     "a share such as 5%: slower than devices of its class and kind by at least that, and sure"},
    {"differs_from_class", "an entry of the environment that most of its class have otherwise"},
    {"not_measured", "true: not in the latest night of its class"},
    {"action", "drain or watch"},
    {"if_unknown", "report (exit code 3; the default) or ignore, where it cannot be told"},
});

/// The keys above, and one for each fact (fleet_facts()).
inline std::vector<YamlKey> fleet_rule_keys() {
  std::vector<YamlKey> keys(kFleetRuleKeys.begin(), kFleetRuleKeys.end());
  for (const FleetFact& fact : fleet_facts()) keys.push_back({fact.name, fact.doc});
  return keys;
}

struct NamedRelation {
  std::string_view text;
  NumberLimit::Relation relation;
};
/// Longer ones first: `>=` begins with `>`.
inline constexpr std::array kRelations = std::to_array<NamedRelation>({
    {">=", NumberLimit::Relation::at_least},
    {"<=", NumberLimit::Relation::at_most},
    {"==", NumberLimit::Relation::equal},
    {"!=", NumberLimit::Relation::unequal},
    {">", NumberLimit::Relation::above},
    {"<", NumberLimit::Relation::below},
});

}  // namespace plumbline
