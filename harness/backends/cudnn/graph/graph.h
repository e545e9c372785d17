/// A graph of cuDNN's operations as data: tensors, scalars, operations.
///
/// The text is the JSON of cudnn-frontend's Graph::serialize() (json_version 1.0), except that
/// floats may be plain numbers instead of hexadecimal digits. A suite's `op: cudnn.graph` has the
/// same format. Names of operations, ports and attributes are cudnn-frontend's. Does not use cuDNN:
/// frontend.h builds it. https://docs.nvidia.com/deeplearning/cudnn/frontend
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "core/dtype.h"

namespace plumbline::cudnn {

using Json = nlohmann::json;

/// From a port of an operation to the name of its tensor.
using Ports = std::map<std::string, std::string>;

class Graph {
 public:
  /// `name` appears in messages and beside the plan. Computes in float32; in float64 for that
  /// dtype; in int32 for integers.
  Graph(std::string name, DType dtype);

  /// A graph that is already text; `memory` by the uids that the reader assigns (frontend.h).
  Graph(std::string name, const std::string& text, std::map<std::int64_t, at::Tensor> memory);

  /// A tensor in memory, read or written by the graph, with the shape and strides of `memory`.
  void tensor(const std::string& name, const at::Tensor& memory);
  /// A number that is passed by value.
  void scalar(const std::string& name, double value);
  /// An operation such as CONV_FPROP. An output that was not named before stays inside the graph;
  /// its shape follows from the operation.
  void node(const std::string& tag, const Ports& inputs, const Ports& outputs,
            const Json& attributes = Json::object());

  const std::string& name() const { return name_; }
  std::string text() const { return json_.dump(); }
  /// The tensors given to tensor(), by their uid in the text.
  const std::map<std::int64_t, at::Tensor>& memory() const { return memory_; }

 private:
  std::string name_;
  Json json_;
  std::map<std::int64_t, at::Tensor> memory_;
};

/// Vectors as cuDNN's pointwise engines take them: [1, rows, cols] with long rows.
at::Tensor folded(const at::Tensor& vector);

/// [rows, cols] as [rows, cols, 1, 1] with channels last, which cuDNN's norms and reductions ask
/// for; a vector is one row.
at::Tensor rows_with_channels(const at::Tensor& matrix);

}  // namespace plumbline::cudnn
