/// Techniques: parameters of `op: module` that change how a network computes, not what it learns.
///
/// Knows no library: harness/backends/python/plumbline_techniques applies them.
#pragma once

#include <string_view>
#include <vector>

#include "core/op/op_spec.h"

namespace plumbline {

/// All techniques, and `step`. At their defaults, LibTorch computes as a user's plain code.
const std::vector<ParamSpec>& technique_params();

/// Whether a parameter of that name changes how a step computes. `step` says what it computes.
bool is_technique(std::string_view name);

}  // namespace plumbline
