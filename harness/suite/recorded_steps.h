/// `steps:` of a suite and `calls:` of its benchmarks: what `plumbline capture` recorded of a
/// program.
#pragma once

#include <vector>

#include "core/run/run.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Throws Error if a phase is named twice: a phase belongs to one step.
std::vector<RecordedStep> read_steps(const YamlNode& node);

/// Throws Error for a phase that no step has, and for a number that is not above 0.
CallsByPhase read_calls(const YamlNode& node, const std::vector<RecordedStep>& steps);

}  // namespace plumbline
