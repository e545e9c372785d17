#include "suite/graph/graph_shapes.h"

#include <algorithm>
#include <map>

#include "suite/graph/graph_operation_shapes.h"
#include "suite/yaml/reader.h"

namespace plumbline {
namespace {

bool is_on(const YamlNode& map, std::string_view key) {
  const YamlEntry* entry = find_entry(map, key);
  return entry && entry->value->value == Value(true);
}

}  // namespace

GraphShapes::GraphShapes(const YamlNode& tensors) {
  for (const YamlEntry& tensor : tensors.entries) {
    Known& known = tensors_[tensor.key] = {&tensor, {}};
    const YamlEntry* dim = find_entry(*tensor.value, "dim");
    if (dim && !is_on(*tensor.value, "is_pass_by_value")) known.dims = integers_of(*dim->value);
  }
}

void GraphShapes::check(const GraphOperation& kind, const YamlNode& node) {
  ShapedOperation operation{kind, node, {}, {}};
  for (auto [side, ports] :
       {std::pair{"inputs", &operation.inputs}, {"outputs", &operation.outputs}})
    for (const YamlEntry& port : find_entry(node, side)->value->entries) {
      const Known& known = tensors_.at(port.value->text);
      ports->push_back({&port, known.declared, known.dims});
    }
  for (const auto& [port, dims] : shapes_written(operation))
    for (const ShapedPort& output : operation.outputs)
      if (output.port->key == port) learn(kind, *output.port, dims);
}

void GraphShapes::learn(const GraphOperation& kind, const YamlEntry& port, const Dims& dims) {
  Known& known = tensors_.at(port.value->text);
  if (!known.dims.empty() && known.dims != dims)
    fail_at(find_entry(*known.declared->value, "dim")->value->at,
            kind.tag + " writes " + port.key + " " + sizes_in_words(dims) + ", and the tensor '" +
                known.declared->key + "' has the dimensions " + sizes_in_words(known.dims));
  known.dims = dims;
}

}  // namespace plumbline
