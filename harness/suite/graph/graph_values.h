/// Checks the values in a cuDNN graph: every member is known and has the right type.
///
/// declared_graph.cpp checks which tensors an operation reads and writes; the worker checks sizes.
#pragma once

#include <string>
#include <vector>

#include "core/op/graph_operations.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Throws Error if `node` is not a map, at the first key that is not in `members` or `others`, at
/// the first value of a wrong type, and at the map if it lacks a required member. `what` names the
/// map.
void check_members(const YamlNode& node, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what);

}  // namespace plumbline
