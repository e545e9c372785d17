/// `steps:` of a suite and `calls:` of its benchmarks: what `plumbline capture` recorded of a
/// program.
#pragma once

#include <vector>

#include "core/run/run.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Fails where two steps have a phase in common.
std::vector<RecordedStep> read_steps(const YamlNode& node);

/// Fails at a phase that is of none of the steps, and at a number that is not above 0.
CallsByPhase read_calls(const YamlNode& node, const std::vector<RecordedStep>& steps);

}  // namespace plumbline
