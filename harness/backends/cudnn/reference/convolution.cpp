#include <ATen/TensorOperators.h>
#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/flip.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/ones_like.h>

#include <limits>

#include "backends/cudnn/reference/parts.h"

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

/// The padded image; padding before and after may differ.
at::Tensor padded(const Operation& operation, const at::Tensor& x, double with) {
  const Sizes before = sizes(operation, "pre_padding"), after = sizes(operation, "post_padding");
  return at::constant_pad_nd(x, {before[1], after[1], before[0], after[0]}, with);
}

/// Largest value of each window. If the padding is minus infinity, only the image counts; otherwise
/// the zeros of the padding count too.
NamedValues largest_of_windows(const Operation& operation, const at::Tensor& x) {
  const std::string padding = operation.node.value("padding_mode", Json()).dump();
  const bool is_zero = padding == "\"ZERO_PAD\"";
  if (!is_zero && padding != "\"NEG_INF_PAD\"")
    throw NoFormula("RESAMPLE MAXPOOL with 'padding_mode' " + padding);
  const double with = is_zero ? 0 : -std::numeric_limits<double>::infinity();
  return {{"Y", at::max_pool2d(padded(operation, x, with), sizes(operation, "window"),
                               sizes(operation, "stride"))}};
}

NamedValues pooling(const Operation& operation) {
  const at::Tensor& x = operation.input("X");
  check_images(operation, x);
  if (operation.writes("Index")) throw NoFormula("RESAMPLE with indices");
  const std::string mode = operation.node.at("resample_mode").get<std::string>();
  if (mode == "MAXPOOL") return largest_of_windows(operation, x);
  const bool counts_padding = mode == "AVGPOOL_INCLUDE_PADDING";
  if (!counts_padding && mode != "AVGPOOL_EXCLUDE_PADDING") throw NoFormula("RESAMPLE " + mode);
  const auto mean = [&](const at::Tensor& image) {
    return at::avg_pool2d(padded(operation, image, 0), sizes(operation, "window"),
                          sizes(operation, "stride"));
  };
  if (const Json padding = operation.node.value("padding_mode", Json());
      counts_padding && !padding.is_null() && padding != "ZERO_PAD")
    throw NoFormula("RESAMPLE " + mode + " with 'padding_mode' " + padding.dump());
  return {{"Y", counts_padding ? mean(x) : mean(x) / mean(at::ones_like(x))}};
}

/// The filter as cross-correlation reads it: a convolution reads it reversed.
at::Tensor correlated(const Operation& operation, const at::Tensor& weight) {
  const bool is_flipped = operation.node.value("math_mode", "CROSS_CORRELATION") == "CONVOLUTION";
  return is_flipped ? at::flip(weight, {2, 3}) : weight;
}

/// Without a bias. The tensor whose gradient is wanted is only read for its shape.
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
    const at::Tensor& x = operation.input("X");
    const at::Tensor weight = correlated(operation, operation.input("W"));
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
    return {{"DX", gradient(operation, unknown, correlated(operation, operation.input("W")),
                            {true, false, false})}};
  const at::Tensor of_weight =
      gradient(operation, operation.input("X"), unknown, {false, true, false});
  return {{"DW", correlated(operation, of_weight)}};
}

}  // namespace plumbline::cudnn
