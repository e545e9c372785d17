#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/sum.h>

#include "backends/reference_blocks.h"
#include "ops/inputs.h"

namespace plumbline {
namespace {

at::Tensor log_softmax(const Tensors& x) {
  const at::Tensor shifted = x[0] - at::amax(x[0], -1, /*keepdim=*/true).detach();
  return shifted - at::log(at::sum(at::exp(shifted), -1, /*keepdim=*/true));
}

Results reference(const Problem&, const Tensors& inputs) {
  return in_row_blocks(inputs[0].size(1) * 8, inputs, {}, log_softmax);
}

}  // namespace

Definition log_softmax_definition() { return {matrix_x, reference}; }

}  // namespace plumbline
