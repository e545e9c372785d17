#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>

#include "backends/implementation.h"

namespace plumbline {
namespace {

/// Steps and decays of Mamba's initial weights: delta in [0.001, 0.1], A in [-16, -1].
std::vector<InputSpec> inputs(const Problem& p) {
  const auto batch = p.integer("batch"), channels = p.integer("channels");
  const auto length = p.integer("length"), state = p.integer("state");
  const std::vector<std::int64_t> of_channels{batch, channels, length},
      of_state{batch, state, length};
  return {{.name = "u", .shape = of_channels, .dtype = p.dtype()},
          {.name = "delta",
           .shape = of_channels,
           .dtype = p.dtype(),
           .distribution = {Distribution::Kind::uniform, 0.001, 0.1}},
          {.name = "a",
           .shape = {channels, state},
           .dtype = DType::float32,
           .distribution = {Distribution::Kind::uniform, -16, -1}},
          {.name = "b", .shape = of_state, .dtype = p.dtype()},
          {.name = "c", .shape = of_state, .dtype = p.dtype()},
          {.name = "d", .shape = {channels}, .dtype = DType::float32}};
}

/// Step by step, by definition.
at::Tensor reference(const Problem& p, const Tensors& inputs) {
  const at::Tensor &u = inputs[0], &delta = inputs[1], &a = inputs[2];
  at::Tensor state =
      at::zeros({p.integer("batch"), p.integer("channels"), p.integer("state")}, u.options());
  Tensors results;
  for (std::int64_t t = 0; t < p.integer("length"); ++t) {
    const auto row_at = [t](const at::Tensor& x) { return x.select(2, t).unsqueeze(1); };
    const at::Tensor step = delta.select(2, t).unsqueeze(2), x = u.select(2, t).unsqueeze(2);
    state = at::exp(step * a) * state + step * row_at(inputs[3]) * x;
    results.push_back(at::sum(row_at(inputs[4]) * state, 2) + inputs[5] * u.select(2, t));
  }
  return at::stack(results, 2);
}

}  // namespace

Definition ssm_scan_definition() { return {inputs, reference}; }

}  // namespace plumbline
