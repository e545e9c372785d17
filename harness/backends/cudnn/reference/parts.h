/// The formulas that reference.cpp puts together, by kinds of operations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cudnn/graph/graph.h"
#include "backends/cudnn/reference/reference.h"

namespace plumbline::cudnn {

/// An operation with what it reads, by port.
struct Operation {
  const Json& node;
  const NamedValues& inputs;
  std::map<std::string, std::vector<std::int64_t>> output_dims;  // by port, where the graph says

  std::string tag() const { return node.at("tag").get<std::string>(); }
  const at::Tensor& input(const std::string& port) const { return inputs.at(port); }
  bool writes(const std::string& port) const { return node.at("outputs").contains(port); }
};

/// A number of the node's or a tensor's JSON: as such, or as the hexadecimal digits of a float's
/// memory, as cudnn-frontend writes it; nothing where it is null or not there. Throws NoFormula.
std::optional<double> number_in(const Json& map, const std::string& key);

/// Each gives what the operation writes, by port. Throws NoFormula.
NamedValues pointwise(const Operation& operation);
NamedValues convolution(const Operation& operation);
NamedValues normalization(const Operation& operation);
NamedValues attention(const Operation& operation);

/// Whether pointwise() has a formula for that mode.
bool has_pointwise_mode(const std::string& mode);

}  // namespace plumbline::cudnn
