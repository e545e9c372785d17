/// The operations of cuDNN's graphs by cudnn-frontend's names, as data: ports, members, modes and
/// types. A suite's `op: cudnn.graph` is checked against it, and the worker reads graphs by it.
///
/// Knows no cuDNN and no shapes; a test holds it against cudnn-frontend 1.23's own reading.
/// https://docs.nvidia.com/deeplearning/cudnn/frontend
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/dtype.h"

namespace plumbline {

/// What a member of an operation or of a tensor is. null is a member that is not given.
enum class GraphValue {
  flag,
  integer,
  number,   // or the digits of a float's memory, as cudnn-frontend writes it
  text,     // one of `allowed`, or any where there are none
  sizes,    // a list of integers from 0
  extents,  // a list of integers from 1
  ranges,   // a list of [first, end] with 0 <= first < end
  nothing,  // an empty list: for what no suite can say
  scalar,   // {index: which type, value: a number}
  off,      // false: cudnn-frontend writes it, and cannot read it again where it is on
};

struct GraphMember {
  std::string name;
  GraphValue value = GraphValue::flag;
  std::vector<std::string> allowed{};
  bool is_required = false;  // cudnn-frontend refuses an operation without it
};

struct GraphOperation {
  std::string tag;
  std::vector<std::string> inputs, outputs;  // ports without which there is no operation
  std::vector<std::string> more_inputs, more_outputs;
  std::vector<GraphMember> members;  // beside tag, inputs, outputs
};

const std::vector<GraphOperation>& graph_operations();

/// The operation of that tag, or nullptr.
const GraphOperation* find_graph_operation(std::string_view tag);

/// The inputs without which an operation is none: of a pointwise one as many as its `mode` takes,
/// of a concatenation the `given` ones by their number.
std::vector<std::string> graph_inputs(const GraphOperation& kind, std::string_view mode,
                                      std::size_t given);

/// Members that a graph's JSON may have.
const std::vector<std::string>& graph_members();
/// Members of its `context`.
const std::vector<GraphMember>& graph_context_members();
/// Members of a tensor.
const std::vector<GraphMember>& graph_tensor_members();

/// Modes of POINTWISE that take 1, 2 and 3 inputs.
const std::vector<std::vector<std::string>>& pointwise_modes();
/// Values of `data_type` and of the context's `…_data_type`.
const std::vector<std::string>& graph_data_types();
/// cudnn-frontend's name of a type, nullptr where it has none.
const char* graph_data_type_of(DType dtype);

/// Types of a number that is passed by value, by its `index`.
inline constexpr int kGraphScalarTypes = 6;

}  // namespace plumbline
