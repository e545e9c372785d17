#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/max_pool2d.h>

#include "backends/cudnn/reference_parts.h"

namespace plumbline::cudnn {
namespace {

using Sizes = std::vector<std::int64_t>;

Sizes sizes(const Operation& operation, const char* key) {
  return operation.node.at(key).get<Sizes>();
}

Sizes padding_of(const Operation& operation) {
  if (sizes(operation, "pre_padding") != sizes(operation, "post_padding"))
    throw NoFormula(operation.tag() + " with another padding before than after");
  return sizes(operation, "pre_padding");
}

void check_images(const Operation& operation, const at::Tensor& x) {
  if (x.dim() != 4)
    throw NoFormula(operation.tag() + " in " + std::to_string(x.dim()) + " dimensions");
}

NamedValues pooling(const Operation& operation) {
  const at::Tensor& x = operation.input("X");
  check_images(operation, x);
  if (operation.writes("Index")) throw NoFormula("RESAMPLE with indices");
  const std::string mode = operation.node.at("resample_mode").get<std::string>();
  const Sizes window = sizes(operation, "window"), stride = sizes(operation, "stride");
  const Sizes padding = padding_of(operation);
  if (mode == "MAXPOOL") return {{"Y", at::max_pool2d(x, window, stride, padding)}};
  const bool counts_padding = mode == "AVGPOOL_INCLUDE_PADDING";
  if (!counts_padding && mode != "AVGPOOL_EXCLUDE_PADDING") throw NoFormula("RESAMPLE " + mode);
  return {{"Y", at::avg_pool2d(x, window, stride, padding, /*ceil_mode=*/false, counts_padding)}};
}

/// Without a bias; the tensor that is asked for is read for its shape alone.
at::Tensor gradient(const Operation& operation, const at::Tensor& x, const at::Tensor& weight,
                    std::array<bool, 3> wanted) {
  const auto all = at::convolution_backward(
      operation.input("DY"), x, weight, /*bias_sizes=*/at::OptionalIntArrayRef(),
      sizes(operation, "stride"), padding_of(operation), sizes(operation, "dilation"),
      /*transposed=*/false, /*output_padding=*/Sizes{0, 0},
      /*groups=*/x.size(1) / weight.size(1), wanted);
  return wanted[0] ? std::get<0>(all) : std::get<1>(all);
}

}  // namespace

NamedValues convolution(const Operation& operation) {
  const std::string tag = operation.tag();
  if (tag == "RESAMPLE") return pooling(operation);
  const bool is_forward = tag == "CONV_FPROP";
  check_images(operation, operation.input(is_forward ? "X" : "DY"));
  if (is_forward) {
    const at::Tensor &x = operation.input("X"), &weight = operation.input("W");
    return {
        {"Y", at::conv2d(x, weight, /*bias=*/{}, sizes(operation, "stride"), padding_of(operation),
                         sizes(operation, "dilation"), x.size(1) / weight.size(1))}};
  }
  const auto options = operation.input("DY").options();
  const char* port = tag == "CONV_DGRAD" ? "DX" : "DW";
  const auto dims = operation.output_dims.find(port);
  if (dims == operation.output_dims.end()) throw NoFormula(tag + " without dimensions of " + port);
  const at::Tensor unknown = at::empty(dims->second, options);
  if (tag == "CONV_DGRAD")
    return {{"DX", gradient(operation, unknown, operation.input("W"), {true, false, false})}};
  return {{"DW", gradient(operation, operation.input("X"), unknown, {false, true, false})}};
}

}  // namespace plumbline::cudnn
