/// The values in a graph of cuDNN's operations: each a member that there is, of its kind, and in
/// size as its operation needs it.
///
/// Which tensors an operation reads and writes is declared_graph.cpp's.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph_operations.h"
#include "suite/yaml.h"

namespace plumbline {

/// Fails at the first key of `map` that is neither a member nor one of `others`, at the first value
/// that is none of its member's, and at the map where it lacks a member. `what` has them.
void check_members(const YamlNode& map, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what);

/// Fails where a tensor's members are not those of one.
void check_tensor(const YamlEntry& tensor);

/// Fails where the strides of a tensor that is written give two of its elements one address.
void check_written(const YamlEntry& tensor);

/// Fails at the first tensor that is given another's `uid`.
void check_uids(const YamlNode& tensors);

/// The ports without which the operation is none; a pointwise one takes as many as its mode says.
std::vector<std::string> inputs_of(const GraphOperation& kind, const YamlNode& node);

/// Fails where the dimensions that are given do not fit the operation `node` and one another.
void check_shapes(const GraphOperation& kind, const YamlNode& node, const YamlNode& tensors);

}  // namespace plumbline
