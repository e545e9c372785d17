/// How a case is measured: every option is a member of Policy and a row of policy_fields().
///
/// The table defines the YAML keys of `measure:`, command-line flags, their help, the JSON Schema
/// and run.json. An option is added in this file and nowhere else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace plumbline {

struct Policy {
  std::vector<std::string> metrics{"gpu_time", "kernel_time"};
  std::vector<std::string> cache{"cold", "hot"};
  std::int64_t rounds = 3;
  std::int64_t blocks_min = 8;
  std::int64_t blocks_max = 24;
  std::int64_t samples = 6;
  double precision = 0.003;
  double budget_s = 0.08;
  std::int64_t revisit = 8;
  double warmup_s = 0.01;
  double warmup_max_s = 0.2;
  double rest = 3;
  double timeout_s = 120;
  std::int64_t seed = 1;
};

using PolicyMember =
    std::variant<std::int64_t Policy::*, double Policy::*, std::vector<std::string> Policy::*>;

struct PolicyField {
  std::string_view name;  // YAML key, and the flag with '_' as '-': `blocks_min`, `--blocks-min`
  PolicyMember member;
  double minimum = 0;  // numbers only, inclusive
  double maximum = 0;
  std::vector<std::string_view> allowed;  // lists only: the allowed values
  std::string_view doc;
};

/// All options in the order in which help and schema show them.
std::span<const PolicyField> policy_fields();

/// The row of that name, or nullptr.
const PolicyField* policy_field(std::string_view name);

/// The first mistake in `policy` in words (out of range, blocks_min > blocks_max), or "".
std::string policy_mistake(const Policy& policy);

}  // namespace plumbline
