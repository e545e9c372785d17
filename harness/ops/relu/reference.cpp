#include <ATen/TensorOperators.h>

#include "ops/inputs.h"

namespace plumbline {
namespace {

/// The mask is a constant to autograd, so the gradient at 0 is 0, as LibTorch has it.
at::Tensor reference(const Problem&, const Tensors& inputs) {
  return inputs[0] * (inputs[0] > 0).to(inputs[0].scalar_type());
}

}  // namespace

Definition relu_definition() { return {vector_x, reference}; }

}  // namespace plumbline
