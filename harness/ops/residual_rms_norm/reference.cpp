#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto rows = p.integer("rows"), cols = p.integer("cols");
  return {{.name = "x", .shape = {rows, cols}, .dtype = p.dtype()},
          {.name = "residual", .shape = {rows, cols}, .dtype = p.dtype()},
          {.name = "weight", .shape = {cols}, .dtype = p.dtype()}};
}

Results reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor sum = inputs[0] + inputs[1];
  const auto normal = [eps = p.number("eps")](const Tensors& block) {
    const at::Tensor mean_square = at::mean(at::square(block[0]), -1, /*keepdim=*/true);
    return block[0] / at::sqrt(mean_square + eps) * block[1];
  };
  return Tensors{in_row_blocks(p.integer("cols") * 8, {sum}, {inputs[2]}, normal), sum};
}

}  // namespace

Definition residual_rms_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
