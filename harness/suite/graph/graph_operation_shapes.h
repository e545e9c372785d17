/// What one operation of a cuDNN graph writes, by the sizes of what it reads: a table of rules.
///
/// Of graph_shapes.cpp, which knows the graph.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/graph_operations.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

using GraphDims = std::vector<std::int64_t>;
using ShapesWritten = std::map<std::string, GraphDims>;  // by port

/// A port, the tensor there, and the dimensions that are known of it.
struct ShapedPort {
  const YamlEntry* port;
  const YamlEntry* tensor;
  GraphDims dims;
};

struct ShapedOperation {
  const GraphOperation& kind;
  const YamlNode& node;
  std::vector<ShapedPort> inputs, outputs;

  /// The port where its dimensions are known, else nullptr.
  const ShapedPort* input(std::string_view name) const;
  const ShapedPort* output(std::string_view name) const;
};

/// What follows for outputs, by port; what does not follow is left out. Fails where the sizes that
/// are known contradict the operation.
ShapesWritten shapes_written(const ShapedOperation& operation);

/// The rules of layers: attention in both directions and norms.
ShapesWritten attention_shapes(const ShapedOperation& operation);
ShapesWritten norm_of_rows(const ShapedOperation& operation);
ShapesWritten norm_of_channels(const ShapedOperation& operation);
ShapesWritten norm_backward(const ShapedOperation& operation);

/// Fails at the second port: "… do not fit: `why`".
[[noreturn]] void fail_on_pair(const ShapedOperation& operation, const ShapedPort& a,
                               const ShapedPort& b, const std::string& why);

/// Fails where the output is given no dimensions and has to be.
void require_dims(const ShapedOperation& operation, std::string_view name, const std::string& why);

/// Of a list that was checked before.
GraphDims integers_of(const YamlNode& list);

/// "[8, 16]", and with its port before it.
std::string sizes_in_words(const GraphDims& dims);
std::string words_of(const ShapedPort& port);

}  // namespace plumbline
