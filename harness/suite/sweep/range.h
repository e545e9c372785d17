/// Ranges of an axis: {from, to, step}, {pow2}, {linspace}, {values}.
#pragma once

#include <vector>

#include "suite/yaml/yaml.h"

namespace plumbline {

/// The values of the range in the map `node`, at least one, as scalar nodes. Their place is that of
/// the map; items of `values` keep their own.
std::vector<YamlPtr> read_range(const YamlNode& node, const std::string& what);

}  // namespace plumbline
