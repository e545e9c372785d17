#include "worker/workloads/declared_problem.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <optional>

#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "backends/libtorch/tensor_expression.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "core/unknown.h"
#include "device/random.h"
#include "measure/flags.h"
#include "worker/workloads/input_values.h"

namespace plumbline {
namespace {

template <class Function>
auto located(const std::string& where, Function function) {
  try {
    return function();
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
}

ExpressionPtr parsed(const std::string& where, const std::string& text) {
  return located(where, [&] { return parse_expression(text); });
}

}  // namespace

DeclaredProblem::DeclaredProblem(const Case& subject, Device& device, bool is_cuda,
                                 std::uint64_t seed)
    : subject_(subject),
      device_(device),
      is_cuda_(is_cuda),
      seed_(seed),
      recorded_(subject.declaration->recorded) {
  if (std::get<std::string>(subject.params.at("direction")) == "backward")
    throw Unsupported("declared operators are measured forward; name the backward operator itself");
  for (const Argument& argument : subject.declaration->args)
    if (argument.role == Argument::Role::input || argument.role == Argument::Role::inout)
      inputs_.emplace_back(argument.name, parsed("args." + argument.name, argument.expression));
  if (!subject.declaration->reference.empty())
    reference_ = parsed("reference", subject.declaration->reference);
}

void DeclaredProblem::make_values() {
  drop_values();
  const InputData data = input_data(subject_.params);
  bool has_chosen = data == InputData::uniform;
  filled_seed_ = seed_;
  const TensorScope scope{
      subject_.params,
      [&](const std::vector<std::int64_t>& shape, DType dtype, const Distribution& distribution) {
        const auto chosen = chosen_values(data, distribution, dtype,
                                          channels_of(shape, /*is_channels_last=*/false));
        has_chosen |= bool(chosen);
        const Distribution values = chosen.value_or(distribution);
        drawn_.push_back({make_tensor(device_, is_cuda_, shape, dtype, values, false,
                                      random_bits(seed_, drawn_.size())),
                          dtype, values});
        return drawn_.back().tensor;
      },
      {},
      [&](const GeneratedTensor& wanted) {
        const auto options = at::TensorOptions()
                                 .dtype(scalar_type(wanted.dtype))
                                 .device(is_cuda_ ? at::kCUDA : at::kCPU);
        drawn_.push_back({at::empty(wanted.shape, options), wanted.dtype, {}, wanted});
        recorded_.fill(drawn_.back().tensor, wanted, seed_);
        return drawn_.back().tensor;
      }};
  const at::NoGradGuard no_grad;
  for (const auto& [name, expression] : inputs_)
    values_[name] = located("args." + name, [&] { return evaluate_tensor(*expression, scope); });
  if (!has_chosen) throw Unsupported(in_words(data) + ": " + std::string(kNoFreeInputs));
}

bool DeclaredProblem::is_drawn(const at::Tensor& tensor) const {
  return std::ranges::any_of(drawn_, [&](const Drawn& drawn) {
    return tensor.has_storage() && tensor.storage().data() == drawn.tensor.storage().data();
  });
}

/// Views of drawn tensors change with them; tensors computed from them do not.
bool DeclaredProblem::refill() {
  for (const at::Tensor& tensor : inputs())
    if (!is_drawn(tensor)) return false;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    const auto& [tensor, dtype, distribution, recorded] = drawn_[i];
    if (recorded)
      recorded_.fill(tensor, *recorded, seed_);
    else
      device_.fill({tensor.data_ptr(), dtype, tensor.numel()}, random_bits(seed_, i), distribution);
    if (filled_seed_ != seed_) has_other_values(tensor);
  }
  filled_seed_ = seed_;
  return true;
}

/// Numbers drawn for each seed, beside those of a file, make the inputs of every launch new.
bool DeclaredProblem::has_random_values() const {
  return std::ranges::any_of(drawn_, [](const Drawn& drawn) {
    return !drawn.recorded && drawn.tensor.numel() > 0 &&
           drawn.distribution.kind != Distribution::Kind::constant;
  });
}

std::optional<std::uint64_t> DeclaredProblem::repeated_inputs() const {
  if (!is_recorded() || has_random_values()) return {};
  return recorded_.recording(seed_);
}

/// Orders of so many slices are hardly ever the same twice.
std::vector<std::string> DeclaredProblem::flags() {
  constexpr std::int64_t kManySlices = 12;
  const bool is_new = has_random_values() || std::ranges::any_of(drawn_, [](const Drawn& drawn) {
                        return drawn.recorded && drawn.recorded->shuffle &&
                               drawn.tensor.size(*drawn.recorded->shuffle) >= kManySlices;
                      });
  if (!is_recorded() || is_new) return {};
  return {kFlagRecordedInputs};
}

Tensors DeclaredProblem::declared_reference() const {
  const at::NoGradGuard no_grad;
  TensorScope scope{subject_.params, nullptr, {}};
  for (const auto& [name, value] : values_)
    scope.names[name] = map_tensors(Stack{value}, exact).front();
  return tensors_in({located("reference", [&] { return evaluate_tensor(*reference_, scope); })});
}

Bounds DeclaredProblem::bounds(const Tensors& expected, at::ScalarType) const {
  if (const auto& given = subject_.declaration->tolerance) return {*given, 4 * *given};
  double read = 1;
  double written = 1;
  for (const at::Tensor& tensor : inputs()) read = std::max(read, double(tensor.numel()));
  for (const at::Tensor& tensor : expected) written = std::max(written, double(tensor.numel()));
  constexpr double kFactor = 8, kOperations = 1;
  const auto dtype = dtype_named(std::get<std::string>(subject_.params.at("dtype"))).value();
  return declared_bounds(dtype, std::max(1.0, read / written), kFactor, kOperations,
                         input_rounding(library_settings(subject_.params)));
}

LeastMemory DeclaredProblem::least_memory(double) const {
  LeastMemory least;
  for (const auto& [name, expression] : inputs_) {
    if (expression->kind != Expression::Kind::index) continue;  // a number, or a computed tensor
    std::optional<GeneratedTensor> tensor;
    try {
      tensor = generated_tensor(*expression, subject_.params);
    } catch (const Error&) {  // a mistake that make_values() tells
      continue;
    }
    const double bytes = bytes_of(tensor->shape, tensor->dtype);
    least.inputs += bytes;
    if (!copies_inputs() || tensor->dtype == DType::float64) continue;
    least.copies += is_floating(tensor->dtype) ? bytes_of(tensor->shape, DType::float64) : bytes;
  }
  for (const Argument& argument : subject_.declaration->args)
    if (argument.role == Argument::Role::output || argument.role == Argument::Role::scratch)
      least.results += bytes_of(shape_of(*parse_expression(argument.expression), subject_.params),
                                dtype_of_output(argument, subject_.params));
  return least;
}

double DeclaredProblem::cost(const std::string& text) const {
  return text.empty() ? kUnknown : evaluate_number(text, subject_.params);
}

}  // namespace plumbline
