#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/sum.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

bool is_transposed(const Problem& p) { return p.text("layout") == "transposed"; }

std::vector<InputSpec> inputs(const Problem& p) {
  std::vector<std::int64_t> shape{p.integer("rows"), p.integer("cols")};
  if (is_transposed(p)) std::swap(shape[0], shape[1]);
  return {{.name = "x", .shape = shape, .dtype = p.dtype()}};
}

at::Tensor softmax(const Tensors& x) {
  const at::Tensor powers = at::exp(x[0] - at::amax(x[0], -1, /*keepdim=*/true).detach());
  return powers / at::sum(powers, -1, /*keepdim=*/true);
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor x = is_transposed(p) ? inputs[0].t() : inputs[0];
  return in_row_blocks(x.size(1) * 8, {x}, {}, softmax);
}

}  // namespace

Definition softmax_definition() { return {inputs, reference}; }

}  // namespace plumbline
