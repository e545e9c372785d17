#include <ATen/TensorOperators.h>

#include "ops/inputs.h"

namespace plumbline {
namespace {

/// Autograd sees the mask as a constant, so the gradient at 0 is 0, as in LibTorch.
at::Tensor reference(const Problem&, const Tensors& inputs) {
  return inputs[0] * (inputs[0] > 0).to(inputs[0].scalar_type());
}

}  // namespace

Definition relu_definition() { return {vector_x, reference}; }

}  // namespace plumbline
