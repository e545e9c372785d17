#include <ATen/TensorOperators.h>
#include <ATen/ops/im2col.h>
#include <ATen/ops/matmul.h>

#include "backends/implementation.h"

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

std::int64_t output_size(const Problem& p, std::int64_t input, std::int64_t filter) {
  const auto extent = p.integer("dilation") * (filter - 1) + 1;
  return (input + 2 * p.integer("padding") - extent) / p.integer("stride") + 1;
}

/// Independent of every convolution kernel: the patches are laid out as columns, and each group
/// is one matrix product over them.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto n = p.integer("n"), k = p.integer("k"), groups = p.integer("groups");
  const auto r = p.integer("r"), s = p.integer("s");
  const auto stride = p.integer("stride"), padding = p.integer("padding");
  const auto dilation = p.integer("dilation");
  const auto height = output_size(p, p.integer("h"), r), width = output_size(p, p.integer("w"), s);
  const auto terms = p.integer("c") / groups * r * s;

  const at::Tensor columns =
      at::im2col(inputs[0], {r, s}, {dilation, dilation}, {padding, padding}, {stride, stride});
  const at::Tensor weight = inputs[1].reshape({groups, k / groups, terms});
  const at::Tensor product =
      groups == 1 ? at::matmul(weight[0], columns)
                  : at::matmul(weight, columns.reshape({n, groups, terms, height * width}));
  const at::Tensor output = product.reshape({n, k, height, width});
  return p.flag("bias") ? output + inputs[2].reshape({k, 1, 1}) : output;
}

}  // namespace

Definition conv2d_definition() { return {inputs, reference}; }

}  // namespace plumbline
