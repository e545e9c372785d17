#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/sqrt.h>

#include <cmath>

#include "backends/implementation.h"
#include "ops/adamw/settings.h"
#include "ops/parameter_lists.h"

namespace plumbline {
namespace {

constexpr AdamwSettings kSettings;

bool is_list(const Problem& p) { return p.text("list") != "equal"; }

/// Elements of each tensor of parameters.
ParameterSizes sizes_of(const Problem& p) {
  if (!is_list(p)) return ParameterSizes(std::size_t(p.integer("tensors")), p.integer("elements"));
  ParameterSizes sizes = parameter_lists().at(p.text("list"));
  const std::int64_t shards = p.integer("shards");
  for (std::int64_t& size : sizes) size = (size + shards - 1) / shards;
  return sizes;
}

/// Parameters, gradients, first moments, second moments, step numbers, each for all tensors
/// together. Second moments are averages of squares, so they are positive.
std::vector<InputSpec> inputs(const Problem& p) {
  const ParameterSizes sizes = sizes_of(p);
  std::vector<InputSpec> specs;
  for (const char* name : {"parameter", "gradient", "mean", "square", "step"})
    for (std::size_t i = 0; i < sizes.size(); ++i)
      specs.push_back({.name = name + std::to_string(i), .shape = {sizes[i]}, .dtype = p.dtype()});
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    specs[3 * sizes.size() + i].distribution = {Distribution::Kind::uniform, 0.1, 1};
    InputSpec& step = specs[4 * sizes.size() + i];
    step.shape = {};
    step.dtype = DType::float32;
    step.distribution = {Distribution::Kind::constant, kSettings.step};
  }
  return specs;
}

/// Tensors of a list are compared as one: some have few elements, which may all be near zero, and
/// an error is relative to the size of a typical element. Others: as they are.
Tensors together(const Problem& p, const Tensors& results) {
  if (!is_list(p)) return results;
  const std::size_t tensors = results.size() / kAdamwResults;
  Tensors all;
  for (std::size_t i = 0; i < kAdamwResults; ++i)
    all.push_back(at::cat(at::TensorList(results.data() + i * tensors, tensors)));
  return all;
}

/// Parameters, first moments, second moments.
Results reference(const Problem& p, const Tensors& inputs) {
  const std::size_t tensors = inputs.size() / kAdamwGroups;
  Tensors results(kAdamwResults * tensors);
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
  return together(p, results);
}

Tensors comparable(const Problem& p, const Tensors&, const Tensors& results) {
  return together(p, results);
}

}  // namespace

Definition adamw_definition() {
  return {.inputs = inputs, .reference = reference, .comparable = comparable, .is_mutating = true};
}

}  // namespace plumbline
