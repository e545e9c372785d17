/// One problem computed twice: by LibTorch, as it is measured, and by the op's float64 reference.
///
/// Does not use the worker's verification, which has its own tests.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>

#include "backends/implementation.h"
#include "backends/libtorch/libtorch.h"
#include "core/expression/expression.h"
#include "core/op/library_settings.h"
#include "device/random.h"
#include "problems.h"

namespace plumbline {

struct Comparison {
  Tensors inputs;        // as the launch had them
  Tensors results;       // of the implementation, in its own dtype
  Tensors compared;      // the part of the results that is compared
  Tensors expected;      // float64, integers unchanged
  double tolerance = 0;  // for the relative L2 error of each
};

/// Rounded to `dtype`; the same for the same seed.
inline at::Tensor filled_tensor(const std::vector<std::int64_t>& shape, DType dtype,
                                std::uint64_t seed, const Distribution& d = {}) {
  const at::Tensor values = at::empty(shape, at::kDouble);
  double* data = values.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i)
    data[i] = random_element(int(d.kind), d.low, d.high, seed, static_cast<std::uint64_t>(i));
  return values.to(scalar_type(dtype));
}

inline at::Tensor input_of(const InputSpec& input, std::uint64_t seed) {
  at::Tensor values = filled_tensor(input.shape, input.dtype, seed, input.distribution);
  if (input.is_channels_last) values = values.contiguous(at::MemoryFormat::ChannelsLast);
  return input.arrange ? input.arrange(values) : values;
}

/// Inputs and, for backward, the output's gradient.
inline Operands operands_of(const Problem& problem) {
  Operands operands;
  for (const InputSpec& input : find_definition(problem.subject().op)->inputs(problem)) {
    const at::Tensor values = input_of(input, operands.inputs.size());
    const bool is_leaf =
        problem.is_backward() && input.is_differentiable && values.is_floating_point();
    operands.inputs.push_back(values.requires_grad_(is_leaf));
  }
  return operands;
}

/// The inputs in float64; they record gradients if requested.
inline Tensors exact_inputs(const Operands& operands) {
  Tensors inputs;
  for (const at::Tensor& input : operands.inputs)
    inputs.push_back(exact(input).clone().requires_grad_(input.requires_grad()));
  return inputs;
}

/// The part that needs no implementation: the operands for a launch, the expected results and the
/// tolerance.
inline Comparison expected_of(const Case& subject, Operands& operands) {
  at::set_num_threads(1);  // small tensors; does not wait for other programs' threads
  const Problem problem(subject);
  const OpSpec& spec = spec_of(subject.op);
  const Definition& definition = *find_definition(subject.op);
  Comparison result;
  result.tolerance = tolerance_of(spec, subject.params);

  operands = operands_of(problem);
  const Tensors inputs = exact_inputs(operands);
  Tensors leaves;
  std::ranges::copy_if(inputs, std::back_inserter(leaves), &at::Tensor::requires_grad);
  result.expected = definition.reference(problem, inputs).all;
  result.inputs = operands.inputs;
  if (problem.is_backward()) {
    const at::Tensor output = result.expected.front();
    operands.output_gradient = filled_tensor(output.sizes().vec(), problem.dtype(), 100);
    result.expected = torch::autograd::grad({output}, leaves, {exact(operands.output_gradient)});
    result.inputs.push_back(operands.output_gradient);
  }
  return result;
}

inline Comparison against_reference(const Case& subject) {
  Operands operands;
  Comparison result = expected_of(subject, operands);
  const Problem problem(subject);
  const Definition& definition = *find_definition(subject.op);
  const Prepared prepared = find_implementation(subject.op, "libtorch")(problem, operands);
  prepared.launch();
  result.compared = result.results = prepared.results();
  if (definition.comparable)
    result.compared = definition.comparable(problem, result.inputs, result.results);
  return result;
}

/// ‖result - expected‖ / ‖expected‖, or, if larger, half the error of an element over |expected| +
/// rms of expected: at least as strict as the worker's verification.
inline double error_of(const at::Tensor& result, const at::Tensor& expected) {
  const at::Tensor difference = result.to(at::kDouble) - expected;
  const double norm = expected.norm().item<double>();
  if (norm == 0) return difference.norm().item<double>();
  const double rms = norm / std::sqrt(double(expected.numel()));
  return std::max(difference.norm().item<double>() / norm,
                  (difference.abs() / (expected.abs() + rms)).max().item<double>() / 2);
}

}  // namespace plumbline
