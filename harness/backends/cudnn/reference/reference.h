/// What a graph of cuDNN's operations computes, in float64 from LibTorch's operators. Results of
/// cuDNN are compared with it.
///
/// Knows the operations' formulas; does not use cuDNN and does not model rounding inside a graph.
/// Formulas: https://docs.nvidia.com/deeplearning/cudnn/frontend (operations)
#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <stdexcept>
#include <string>

namespace plumbline::cudnn {

using NamedValues = std::map<std::string, at::Tensor>;

/// An operation, a mode or an attribute has no formula here.
class NoFormula : public std::runtime_error {
 public:
  explicit NoFormula(const std::string& what)
      : std::runtime_error("no reference is composed for " + what) {}
};

/// All tensors that the graph writes, by name, in float64. Inputs have the dimensions that the
/// graph gives them. `graph`: text that frontend.h has accepted. Throws NoFormula.
NamedValues reference(const std::string& graph, const NamedValues& inputs);

}  // namespace plumbline::cudnn
