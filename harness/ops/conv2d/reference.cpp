#include <ATen/TensorOperators.h>
#include <ATen/ops/matmul.h>

#include <algorithm>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"
#include "ops/windows.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const bool is_channels_last = p.text("layout") == "nhwc";
  std::vector<InputSpec> specs{
      {.name = "x",
       .shape = {p.integer("n"), p.integer("c"), p.integer("h"), p.integer("w")},
       .dtype = p.dtype(),
       .is_channels_last = is_channels_last},
      {.name = "weight",
       .shape = {p.integer("k"), p.integer("c") / p.integer("groups"), p.integer("r"),
                 p.integer("s")},
       .dtype = p.dtype(),
       .is_channels_last = is_channels_last}};
  if (p.flag("bias"))
    specs.push_back({.name = "bias", .shape = {p.integer("k")}, .dtype = p.dtype()});
  return specs;
}

/// Uses no convolution kernel: patches are laid out as columns, and each group is one matrix
/// product over them. A block is several images, or some rows of one image.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto k = p.integer("k"), groups = p.integer("groups");
  const auto r = p.integer("r"), s = p.integer("s");
  const Windows windows{{r, s}, p.integer("stride"), p.integer("padding"), p.integer("dilation")};
  const auto height = windows.count(0, p.integer("h")), width = windows.count(1, p.integer("w"));
  const auto terms = p.integer("c") / groups * r * s;
  const BlockGrid grid{.outer = p.integer("n"),
                       .inner = height,
                       .bytes_each = std::max(groups * terms, k) * width * 8,
                       .inner_dimension = 2};
  const BlockFunction convolved = [=](const Tensors& block, std::int64_t begin, std::int64_t end) {
    const auto n = block[0].size(0);
    const at::Tensor columns = columns_of(block[0], windows, begin, end);
    const at::Tensor weight = block[1].reshape({groups, k / groups, terms});
    const at::Tensor product = groups == 1
                                   ? at::matmul(weight[0], columns)
                                   : at::matmul(weight, columns.reshape({n, groups, terms, -1}));
    const at::Tensor output = product.reshape({n, k, end - begin, width});
    return block.size() == 3 ? output + block[2].reshape({k, 1, 1}) : output;
  };
  return in_blocks(grid, {inputs[0]}, {inputs.begin() + 1, inputs.end()}, convolved);
}

}  // namespace

Definition conv2d_definition() { return {inputs, reference}; }

}  // namespace plumbline
