#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>

#include "backends/reference_blocks.h"
#include "ops/inputs.h"

namespace plumbline {
namespace {

at::Tensor silu(const Tensors& x) { return x[0] / (1.0 + at::exp(-x[0])); }

at::Tensor reference(const Problem&, const Tensors& inputs) {
  return in_row_blocks(sizeof(double), inputs, {}, silu);
}

}  // namespace

Definition silu_definition() { return {vector_x, reference}; }

}  // namespace plumbline
