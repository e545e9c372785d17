#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/exp.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto channels = p.integer("channels");
  return {{.name = "x",
           .shape = {p.integer("batch"), channels, p.integer("length")},
           .dtype = p.dtype()},
          {.name = "weight", .shape = {channels, p.integer("width")}, .dtype = p.dtype()},
          {.name = "bias", .shape = {channels}, .dtype = p.dtype()}};
}

/// Adds up shifted sequences, without a kernel of convolution.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto length = p.integer("length"), width = p.integer("width");
  const auto convolved = [=](const Tensors& block) {
    const at::Tensor padded = at::constant_pad_nd(block[0], {width - 1, 0});
    at::Tensor sum = block[2].unsqueeze(1);
    for (std::int64_t j = 0; j < width; ++j)
      sum = sum + block[1].select(1, j).unsqueeze(1) * padded.slice(2, j, j + length);
    return sum / (1.0 + at::exp(-sum));
  };
  return in_row_blocks(p.integer("channels") * length * 8, {inputs[0]}, {inputs[1], inputs[2]},
                       convolved);
}

}  // namespace

Definition causal_conv1d_definition() { return {inputs, reference}; }

}  // namespace plumbline
