#include <ATen/TensorOperators.h>
#include <ATen/ops/sqrt.h>

#include <cmath>

#include "backends/implementation.h"
#include "ops/adamw/settings.h"

namespace plumbline {
namespace {

constexpr AdamwSettings kSettings;

/// Parameters, gradients, first moments, second moments, step numbers, each for all tensors
/// together. Second moments are averages of squares, so they are positive.
std::vector<InputSpec> inputs(const Problem& p) {
  const std::vector<std::int64_t> shape{p.integer("elements")};
  std::vector<InputSpec> specs;
  for (const char* name : {"parameter", "gradient", "mean", "square", "step"})
    for (std::int64_t i = 0; i < p.integer("tensors"); ++i)
      specs.push_back({.name = name + std::to_string(i), .shape = shape, .dtype = p.dtype()});
  const auto tensors = std::size_t(p.integer("tensors"));
  for (std::size_t i = 0; i < tensors; ++i) {
    specs[3 * tensors + i].distribution = {Distribution::Kind::uniform, 0.1, 1};
    specs[4 * tensors + i].shape = {};
    specs[4 * tensors + i].dtype = DType::float32;
    specs[4 * tensors + i].distribution = {Distribution::Kind::constant, kSettings.step};
  }
  return specs;
}

/// Parameters, first moments, second moments.
Results reference(const Problem& p, const Tensors& inputs) {
  const auto tensors = std::size_t(p.integer("tensors"));
  Tensors results(3 * tensors);
  for (std::size_t i = 0; i < tensors; ++i) {
    const auto& [rate, beta1, beta2, decay, eps, step] = kSettings;
    const at::Tensor& gradient = inputs[tensors + i];
    const at::Tensor mean = beta1 * inputs[2 * tensors + i] + (1 - beta1) * gradient;
    const at::Tensor square = beta2 * inputs[3 * tensors + i] + (1 - beta2) * gradient * gradient;
    const at::Tensor root = at::sqrt(square / (1 - std::pow(beta2, step))) + eps;
    results[i] = (1 - rate * decay) * inputs[i] - rate / (1 - std::pow(beta1, step)) * mean / root;
    results[tensors + i] = mean;
    results[2 * tensors + i] = square;
  }
  return results;
}

}  // namespace

Definition adamw_definition() {
  return {.inputs = inputs, .reference = reference, .is_mutating = true};
}

}  // namespace plumbline
