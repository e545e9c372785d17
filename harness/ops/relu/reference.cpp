#include <ATen/TensorOperators.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("elements")}, .dtype = p.dtype()}};
}

/// The mask is a constant to autograd, so the gradient at 0 is 0, as LibTorch has it.
at::Tensor reference(const Problem&, const Tensors& inputs) {
  return inputs[0] * (inputs[0] > 0).to(inputs[0].scalar_type());
}

}  // namespace

Definition relu_definition() { return {inputs, reference}; }

}  // namespace plumbline
