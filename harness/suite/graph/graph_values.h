/// The values in a graph of cuDNN's operations: each a member that there is, and of its kind.
///
/// Which tensors an operation reads and writes is declared_graph.cpp's. Sizes are the worker's.
#pragma once

#include <string>
#include <vector>

#include "core/op/graph_operations.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Fails where `node` is no map, at its first key that is neither a member nor one of `others`, at
/// the first value that is none of its member's, and at the map where it lacks a member. `what` has
/// them.
void check_members(const YamlNode& node, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what);

}  // namespace plumbline
