/// Shapes of the tensors of a cuDNN graph that a suite declares: what each operation writes, given
/// what it reads, in the order of the operations.
///
/// Knows sizes alone; ports, members and types are checked before (graph_values.h). The rules are
/// those by which cudnn-frontend infers what is not given; it does not look at what is.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/graph_operations.h"
#include "suite/yaml/yaml.h"

namespace plumbline {

class GraphShapes {
 public:
  using Dims = std::vector<std::int64_t>;

  /// `tensors` of the graph, which outlive this.
  explicit GraphShapes(const YamlNode& tensors);

  /// Fails where the tensors of `node` do not fit one another and their operation, and where one
  /// that it writes is declared in another shape. What it writes has a shape from then on.
  void check(const GraphOperation& kind, const YamlNode& node);

 private:
  struct Known {
    const YamlEntry* declared;
    Dims dims;  // none: not known, or passed by value
  };
  void learn(const GraphOperation& kind, const YamlEntry& port, const Dims& dims);

  std::unordered_map<std::string, Known> tensors_;
};

}  // namespace plumbline
