/// The values in a graph of cuDNN's operations: each a member that there is, and of its kind.
///
/// Which tensors an operation reads and writes is declared_graph.cpp's, which shapes they have
/// graph_shapes.h's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/graph_operations.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

/// Fails at the first key of `map` that is neither a member nor one of `others`, at the first value
/// that is none of its member's, and at the map where it lacks a member. `what` has them.
void check_members(const YamlNode& map, const std::vector<GraphMember>& members,
                   const std::vector<std::string>& others, const std::string& what);

/// Fails where the value is no text; cudnn-frontend writes names that are empty.
void check_any_text(const YamlEntry& entry);

/// Fails where a tensor's members are not those of one.
void check_tensor(const YamlEntry& tensor);

/// Fails where the strides of a tensor that is written give two of its elements one address.
void check_written(const YamlEntry& tensor);

/// Fails at the first tensor that is given another's `uid`.
void check_uids(const YamlNode& tensors);

/// The input ports without which the operation is none.
std::vector<std::string> inputs_of(const GraphOperation& kind, const YamlNode& node);

/// [4, 2] -> [2, 1].
std::vector<std::int64_t> contiguous(const std::vector<std::int64_t>& dims);

}  // namespace plumbline
