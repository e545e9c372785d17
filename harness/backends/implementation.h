/// What the worker needs of an op beyond its OpSpec: its inputs, its float64 result, and one
/// Implementation per backend that can compute it.
///
/// An op folder defines `Definition <op>_definition()` in reference.cpp and
/// `Implementation <op>_<backend>()` in each backend's file; the build lists them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "backends/problem.h"
#include "device/device.h"

namespace plumbline {

using Tensors = std::vector<at::Tensor>;

/// One input tensor: allocated, filled and handed to every backend alike.
struct InputSpec {
  std::string name;
  std::vector<std::int64_t> shape;
  DType dtype = DType::float32;
  Distribution distribution{};    // uniform [-1, 1]
  bool is_channels_last = false;  // 4-d only: NHWC strides
  bool is_differentiable = true;  // backward computes its gradient; never of integers
  /// Makes the input of the filled tensor, where not every value will do (distinct indices, zeros
  /// in a pattern) or a suite has no name for its type. Null: the filled tensor is the input.
  std::function<at::Tensor(const at::Tensor& filled)> arrange{};
};

/// What a launch computes: one tensor, or several in a fixed order.
struct Results {
  Results(at::Tensor one) : all{std::move(one)} {}
  Results(Tensors several) : all(std::move(several)) {}
  Tensors all;
};

/// The problem itself, from reference.cpp.
struct Definition {
  std::vector<InputSpec> (*inputs)(const Problem&);
  /// Results in float64 from floating-point inputs in float64 and the other inputs as they are,
  /// composed of elementary operators so that autograd gives the reference of the backward
  /// direction as well: the gradients of the first result.
  std::function<Results(const Problem&, const Tensors& inputs)> reference;
  /// Where right results may differ (indices of equal values, random masks): what is compared with
  /// the reference instead, computed from the results after a launch. `inputs` are as the launch
  /// had them, backward's output gradient being the last. Null: the results themselves.
  std::function<Tensors(const Problem&, const Tensors& inputs, const Tensors& results)>
      comparable{};
  bool is_mutating = false;  // a launch changes its inputs
};

/// What an implementation is bound to at one placement.
struct Operands {
  Tensors inputs;
  at::Tensor output_gradient;  // backward only: gradient of the loss with respect to the output
};

/// Ready to be launched. `results` gives what the last launch computed: the output, or the
/// gradients of the differentiable inputs in their order. `clear` lets go of them, where each
/// launch makes them anew.
struct Prepared {
  Launch launch;
  std::function<Tensors()> results;
  std::function<void()> clear;
  std::string plan{};  // which plan of its library runs, JSON (store/README.md); "" = no choice
  /// Handles of a result that a launch made, while `results()` are held; more of them are the
  /// implementation's own. 0: not known.
  std::size_t result_handles = 0;
  bool keeps_no_values = false;  // nothing came of the inputs' values: they may change in place
};

/// Does everything that must not be timed and returns the launch. Throws Unsupported.
using Implementation = std::function<Prepared(const Problem&, const Operands&)>;

/// This backend cannot do this case; the reason is shown as it is.
class Unsupported : public std::runtime_error {
 public:
  explicit Unsupported(const std::string& reason) : std::runtime_error(reason) {}
};

/// What the build found: definition per op, implementation per op and backend. Null where absent.
const Definition* find_definition(std::string_view op);
Implementation find_implementation(std::string_view op, std::string_view backend);

}  // namespace plumbline
