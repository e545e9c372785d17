/// The formulas that reference.cpp combines, one function for each kind of operation.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/cudnn/graph/graph.h"
#include "backends/cudnn/reference/reference.h"

namespace plumbline::cudnn {

/// An operation with its inputs, by port.
struct Operation {
  const Json& node;
  const NamedValues& inputs;
  std::map<std::string, std::vector<std::int64_t>> output_dims;  // by port, if the graph gives them

  std::string tag() const { return node.at("tag").get<std::string>(); }
  const at::Tensor& input(const std::string& port) const { return inputs.at(port); }
  bool writes(const std::string& port) const { return node.at("outputs").contains(port); }
};

/// A number in the JSON of a node or tensor: a plain number, or a float's memory as hexadecimal
/// digits, as cudnn-frontend writes it. nullopt if it is null or missing. Throws NoFormula.
std::optional<double> number_in(const Json& map, const std::string& key);

/// Each returns the operation's outputs by port. Throws NoFormula.
NamedValues pointwise(const Operation& operation);
NamedValues convolution(const Operation& operation);
NamedValues normalization(const Operation& operation);
NamedValues attention(const Operation& operation);

/// Whether pointwise() has a formula for that mode.
bool has_pointwise_mode(const std::string& mode);

}  // namespace plumbline::cudnn
