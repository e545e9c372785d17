/// The operations of cuDNN's graphs by cudnn-frontend's names, as data: what a suite's
/// `op: cudnn.graph` is checked against and what builds graphs needs.
///
/// Knows no cuDNN. https://docs.nvidia.com/deeplearning/cudnn/frontend
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline {

struct GraphOperation {
  std::string tag;
  std::vector<std::string> inputs, outputs;  // ports without which there is no operation
};

const std::vector<GraphOperation>& graph_operations();

/// The operation of that tag, or nullptr.
const GraphOperation* find_graph_operation(std::string_view tag);

/// Members that a graph's JSON may have.
const std::vector<std::string>& graph_members();
/// Members of its `context`.
const std::vector<std::string>& graph_context_members();
/// Values of `data_type` and of the context's `…_data_type`.
const std::vector<std::string>& graph_data_types();

}  // namespace plumbline
