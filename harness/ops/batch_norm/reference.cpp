#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"
#include "backends/reference_blocks.h"

namespace plumbline {
namespace {

std::vector<InputSpec> inputs(const Problem& p) {
  const auto c = p.integer("c");
  const DType per_channel = p.dtype() == DType::float64 ? DType::float64 : DType::float32;
  std::vector<InputSpec> specs{{.name = "x",
                                .shape = {p.integer("n"), c, p.integer("h"), p.integer("w")},
                                .dtype = p.dtype(),
                                .is_channels_last = p.text("layout") == "nhwc"},
                               {.name = "weight", .shape = {c}, .dtype = per_channel},
                               {.name = "bias", .shape = {c}, .dtype = per_channel}};
  if (!p.flag("training")) {
    specs.push_back(
        {.name = "mean", .shape = {c}, .dtype = per_channel, .is_differentiable = false});
    specs.push_back({.name = "variance",
                     .shape = {c},
                     .dtype = per_channel,
                     .distribution = {Distribution::Kind::uniform, 0.5, 1.5},
                     .is_differentiable = false});
  }
  return specs;
}

/// Each row of x and of the other inputs is a channel.
at::Tensor normalised(const Tensors& of_channels, double eps) {
  const auto per_channel = [&](std::size_t i) { return of_channels[i].reshape({-1, 1, 1, 1}); };
  const bool is_training = of_channels.size() == 3;
  const at::Tensor& x = of_channels[0];
  const at::Tensor mean = is_training ? at::mean(x, {1, 2, 3}, /*keepdim=*/true) : per_channel(3);
  const at::Tensor centred = x - mean;
  const at::Tensor variance =
      is_training ? at::mean(at::square(centred), {1, 2, 3}, /*keepdim=*/true) : per_channel(4);
  return centred / at::sqrt(variance + eps) * per_channel(1) + per_channel(2);
}

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  Tensors of_channels = inputs;
  of_channels[0] = inputs[0].transpose(0, 1);
  const auto function = [eps = p.number("eps")](const Tensors& block) {
    return normalised(block, eps);
  };
  return in_row_blocks(of_channels[0][0].numel() * 8, of_channels, {}, function).transpose(0, 1);
}

}  // namespace

Definition batch_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
