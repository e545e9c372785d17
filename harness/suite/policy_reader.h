/// `measure:` and the command line's options of the same names, by core's table of policy fields.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/run/policy.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Sets what the map says. Throws Error with the place for unknown options and bad values.
void read_policy(const YamlNode& map, Policy& policy);

/// Sets options given as texts (`{"rounds", "5"}`, `{"cache", "cold,hot"}`). Throws Error naming
/// the option as a flag.
void apply_policy_overrides(const std::vector<std::pair<std::string, std::string>>& overrides,
                            Policy& policy);

/// Throws Error where options contradict one another, at the one that was set last: an override by
/// its flag, else the key of the first of `maps` that has one (null: no map), else the benchmark.
void check_policy(const Policy& policy,
                  const std::vector<std::pair<std::string, std::string>>& overrides,
                  std::initializer_list<const YamlNode*> maps, const YamlPlace& benchmark);

}  // namespace plumbline
