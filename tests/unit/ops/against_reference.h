/// One problem computed twice: by LibTorch as it is measured, and by the op's float64 reference.
///
/// Independent of the worker's verification, which is tested elsewhere.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "backends/implementation.h"
#include "backends/libtorch/libtorch.h"
#include "core/expression.h"
#include "ops/catalogue.h"

namespace plumbline {

struct Comparison {
  Tensors results;       // of the implementation, in its own dtype
  Tensors expected;      // float64
  double tolerance = 0;  // of the relative L2 error of each of them
};

inline const OpSpec& spec_of(const std::string& op) {
  static const Catalogue kCatalogue = make_catalogue();
  return find_op(kCatalogue, op)->spec;
}

/// The given parameters with the defaults of all others.
inline Case case_of(const std::string& op, Params params, DType dtype, bool is_backward) {
  params["dtype"] = std::string(info(dtype).name);
  params["direction"] = is_backward ? "backward" : "forward";
  for (const std::vector<ParamSpec>& specs : {spec_of(op).params, common_params()})
    for (const ParamSpec& spec : specs)
      if (spec.fallback) params.try_emplace(spec.name, *spec.fallback);
  Case result;
  result.op = op;
  result.params = std::move(params);
  return result;
}

/// Uniform, rounded to `dtype`; the same for the same seed.
inline at::Tensor uniform_tensor(const std::vector<std::int64_t>& shape, DType dtype,
                                 std::uint64_t seed, const Distribution& range = {}) {
  at::Tensor values = at::empty(shape, at::kDouble);
  double* data = values.mutable_data_ptr<double>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    std::uint64_t bits = (seed << 32) + static_cast<std::uint64_t>(i) + 1;  // splitmix64
    bits *= 0x9e3779b97f4a7c15ULL;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9ULL;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebULL;
    const double share = static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
    data[i] = range.low + share * (range.high - range.low);
  }
  return values.to(scalar_type(dtype));
}

inline Comparison against_reference(const Case& subject, at::DeviceType device = at::kCPU) {
  at::set_num_threads(1);  // small tensors; does not wait for other programs' threads
  const Problem problem(subject);
  const OpSpec& spec = spec_of(subject.op);
  Comparison result;
  result.tolerance =
      tolerance(problem.dtype(), evaluate_number(spec.reduction_length, subject.params),
                spec.tolerance_factor);

  Operands operands;
  Tensors exact;
  Tensors exact_leaves;
  for (const InputSpec& input : find_definition(subject.op)->inputs(problem)) {
    at::Tensor values =
        uniform_tensor(input.shape, input.dtype, operands.inputs.size(), input.distribution)
            .to(device);
    if (input.is_channels_last) values = values.contiguous(at::MemoryFormat::ChannelsLast);
    exact.push_back(values.to(at::kDouble).requires_grad_(problem.is_backward()));
    if (input.is_differentiable) exact_leaves.push_back(exact.back());
    operands.inputs.push_back(
        values.requires_grad_(problem.is_backward() && input.is_differentiable));
  }
  const at::Tensor output = find_definition(subject.op)->reference(problem, exact);
  result.expected = {output.detach()};
  if (problem.is_backward()) {
    operands.output_gradient =
        uniform_tensor(output.sizes().vec(), problem.dtype(), 100).to(device);
    result.expected =
        torch::autograd::grad({output}, exact_leaves, {operands.output_gradient.to(at::kDouble)});
  }
  const Prepared prepared = find_implementation(subject.op, "libtorch")(problem, operands);
  prepared.launch();
  result.results = prepared.results();
  return result;
}

/// ‖result - expected‖ / ‖expected‖, or where it is larger, half the error of an element over
/// |expected| + rms of expected: at least as strict as the worker's verification.
inline double error_of(const at::Tensor& result, const at::Tensor& expected) {
  const at::Tensor difference = result.to(at::kDouble) - expected;
  const double norm = expected.norm().item<double>();
  const double rms = norm / std::sqrt(double(expected.numel()));
  return std::max(difference.norm().item<double>() / norm,
                  (difference.abs() / (expected.abs() + rms)).max().item<double>() / 2);
}

}  // namespace plumbline
