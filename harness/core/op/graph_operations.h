/// The operations of cuDNN graphs as data, by cudnn-frontend's names: ports, members, modes and
/// types. It checks a suite's `op: cudnn.graph`, and the worker reads graphs with it.
///
/// Knows no cuDNN and no shapes; a test compares it with what cudnn-frontend 1.23 reads.
/// https://docs.nvidia.com/deeplearning/cudnn/frontend
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"

namespace plumbline {

/// The type of a member of an operation or of a tensor. A member that is null counts as missing.
enum class GraphValue {
  flag,
  integer,
  number,   // or the bits of a float as digits, as cudnn-frontend writes it
  text,     // one of `allowed`, or any text if that is empty
  sizes,    // a list of integers from 0
  extents,  // a list of integers from 1
  ranges,   // a list of [first, end] with 0 <= first < end
  nothing,  // an empty list: a suite cannot set it
  scalar,   // {index: which type, value: a number}
  off,      // false: cudnn-frontend writes `true` too, but cannot read it back
};

struct GraphMember {
  std::string name;
  GraphValue value = GraphValue::flag;
  std::vector<std::string> allowed{};
  bool is_required = false;  // cudnn-frontend refuses an operation without it
};

struct GraphOperation {
  std::string tag;
  std::vector<std::string> inputs, outputs;  // required ports
  std::vector<std::string> more_inputs, more_outputs;
  std::vector<GraphMember> members;  // besides tag, inputs, outputs
};

const std::vector<GraphOperation>& graph_operations();

/// The operation of that tag, or nullptr.
const GraphOperation* find_graph_operation(std::string_view tag);

/// The required inputs: for a pointwise operation as many as its `mode` takes, for a concatenation
/// as many as are `given`.
std::vector<std::string> graph_inputs(const GraphOperation& kind, std::string_view mode,
                                      std::size_t given);

/// Members that the JSON of a graph may have.
const std::vector<std::string>& graph_members();
/// Members of its `context`.
const std::vector<GraphMember>& graph_context_members();
/// Members of a tensor.
const std::vector<GraphMember>& graph_tensor_members();

/// Modes of POINTWISE that take 1, 2 and 3 inputs.
const std::vector<std::vector<std::string>>& pointwise_modes();
/// Values of `data_type` and of the context's `…_data_type`.
const std::vector<std::string>& graph_data_types();
/// cudnn-frontend's name of a type, or nullptr.
const char* graph_data_type_of(DType dtype);

/// Number of types for a number that is passed by value; its `index` selects one.
inline constexpr int kGraphScalarTypes = 6;

}  // namespace plumbline
