#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log.h>
#include <ATen/ops/sum.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("rows"), p.integer("cols")}, .dtype = p.dtype()}};
}

Results reference(const Problem&, const Tensors& inputs) {
  const at::Tensor& x = inputs[0];
  const at::Tensor shifted = x - at::amax(x, -1, /*keepdim=*/true).detach();
  return shifted - at::log(at::sum(at::exp(shifted), -1, /*keepdim=*/true));
}

}  // namespace

Definition log_softmax_definition() { return {inputs, reference}; }

}  // namespace plumbline
