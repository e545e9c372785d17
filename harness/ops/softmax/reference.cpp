#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sum.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  return {{.name = "x", .shape = {p.integer("rows"), p.integer("cols")}, .dtype = p.dtype()}};
}

at::Tensor reference(const Problem&, const Tensors& inputs) {
  const at::Tensor powers = at::exp(inputs[0] - at::amax(inputs[0], -1, /*keepdim=*/true).detach());
  return powers / at::sum(powers, -1, /*keepdim=*/true);
}

}  // namespace

Definition softmax_definition() { return {inputs, reference}; }

}  // namespace plumbline
