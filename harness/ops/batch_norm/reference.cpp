#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/square.h>

#include "backends/implementation.h"

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

at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const auto per_channel = [](const at::Tensor& values) { return values.reshape({-1, 1, 1}); };
  const at::Tensor& x = inputs[0];
  const at::Tensor mean =
      p.flag("training") ? at::mean(x, {0, 2, 3}, /*keepdim=*/true) : per_channel(inputs[3]);
  const at::Tensor centred = x - mean;
  const at::Tensor variance = p.flag("training")
                                  ? at::mean(at::square(centred), {0, 2, 3}, /*keepdim=*/true)
                                  : per_channel(inputs[4]);
  return centred / at::sqrt(variance + p.number("eps")) * per_channel(inputs[1]) +
         per_channel(inputs[2]);
}

}  // namespace

Definition batch_norm_definition() { return {inputs, reference}; }

}  // namespace plumbline
