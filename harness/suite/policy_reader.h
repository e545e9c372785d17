/// Reads `measure:` and the command-line options of the same names, by core's table of policy
/// fields.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/run/policy.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Sets the options in the map. Throws Error with the place for unknown options and bad values.
void read_policy(const YamlNode& map, Policy& policy);

/// Sets options given as texts (`{"rounds", "5"}`, `{"cache", "cold,hot"}`). Throws Error with the
/// option's flag.
void apply_policy_overrides(const std::vector<std::pair<std::string, std::string>>& overrides,
                            Policy& policy);

/// Throws Error if options contradict each other. The message points to an override's flag, else to
/// the key in the first of `maps` that has it (null: no map), else to the benchmark.
void check_policy(const Policy& policy,
                  const std::vector<std::pair<std::string, std::string>>& overrides,
                  std::initializer_list<const YamlNode*> maps, const YamlPlace& benchmark);

}  // namespace plumbline
