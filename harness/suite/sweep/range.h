/// Ranges of an axis: {from, to, step}, {pow2}, {linspace}, {values}.
#pragma once

#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

/// The values of the range that the map `node` declares, at least one, as scalar nodes that stand
/// at its place (those of `values` at their own).
std::vector<YamlPtr> read_range(const YamlNode& node, const std::string& what);

}  // namespace plumbline
