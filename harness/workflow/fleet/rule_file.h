/// The rule file of `plumbline fleet`: which devices are to be drained or watched.
///
///   rules:
///     - {family: gemm, slower_than_class: 5%, action: drain}
///     - {ecc_uncorrected: "> 0", action: drain}
///
/// Strict: every mistake is an Error with file, line and column. The JSON Schema is made from the
/// same tables; tests compare the two.
#pragma once

#include <string>
#include <vector>

#include "analysis/fleet/rules.h"

namespace plumbline {

/// Throws Error for a file that cannot be read, an unknown key, a rule without a condition or an
/// action, and for limits that are no numbers.
std::vector<FleetRuleLine> read_fleet_rules(const std::string& path);

/// JSON Schema, draft 7, indented, ending in a newline.
std::string fleet_rules_schema_json();

}  // namespace plumbline
