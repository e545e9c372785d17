/// What a graph of cuDNN's operations computes, composed of LibTorch's operators in float64: what
/// a result of cuDNN is compared with.
///
/// Knows the operations' formulas, no cuDNN and no rounding inside a graph. Formulas:
/// https://docs.nvidia.com/deeplearning/cudnn/frontend (operations)
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

/// All tensors that the graph writes, by name, in float64 from those that it reads, which have the
/// dimensions that the graph gives them. `graph` is text that frontend.h has read.
/// Throws NoFormula.
NamedValues reference(const std::string& graph, const NamedValues& inputs);

}  // namespace plumbline::cudnn
