#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>

#include <algorithm>

#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "backends/libtorch/tensor_expression.h"
#include "core/error.h"
#include "core/expression.h"
#include "core/op_spec.h"
#include "core/run.h"
#include "device/random.h"
#include "worker/workloads.h"

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

/// `op: aten::…` of a suite: arguments by expression, called through the dispatcher.
class DeclaredWorkload final : public Workload {
 public:
  DeclaredWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : subject_(subject), device_(device), is_cuda_(is_cuda), seed_(seed) {
    if (std::get<std::string>(subject.params.at("direction")) == "backward")
      throw Unsupported(
          "declared operators are measured forward; name the backward operator itself");
    for (const auto& [name, text] : subject.declaration->args)
      args_.emplace_back(name, parsed("args." + name, text));
    if (!subject.declaration->reference.empty())
      reference_ = parsed("reference", subject.declaration->reference);
  }

  void make_inputs() override {
    named_.clear();
    call_.reset();
    std::uint64_t index = 0;
    const TensorScope scope{
        subject_.params,
        [&](const std::vector<std::int64_t>& shape, DType dtype, const Distribution& distribution) {
          return make_tensor(device_, is_cuda_, shape, dtype, distribution, false,
                             random_bits(seed_, index++));
        },
        {}};
    const at::NoGradGuard no_grad;
    for (const auto& [name, expression] : args_)
      named_[name] = located("args." + name, [&] { return evaluate_tensor(*expression, scope); });
    call_ = bind_operator(subject_.op, {}, named_);
  }

  void drop_inputs() override {
    named_.clear();
    call_.reset();
  }

  Tensors inputs() const override { return tensors_in(call_->arguments); }

  Tensors reference() override {
    const at::NoGradGuard no_grad;
    if (reference_) {
      TensorScope scope{subject_.params, nullptr, {}};
      for (const auto& [name, value] : named_)
        scope.names[name] = map_tensors(Stack{value}, exact).front();
      return tensors_in(
          {located("reference", [&] { return evaluate_tensor(*reference_, scope); })});
    }
    const OperatorCall in_float64{call_->handle, map_tensors(call_->arguments, exact)};
    try {
      Tensors expected = tensors_in(in_float64());
      if (call_->handle.hasTag(at::Tag::nondeterministic_seeded) && !is_repeatable(expected))
        throw NoReference("the operator draws random numbers; a suite may declare a reference");
      return expected;
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      throw NoReference(std::string("the operator does not run in float64: ") +
                        error.what_without_backtrace());
    }
  }

  Prepared prepare() override {
    auto box = std::make_shared<Stack>();
    return {.launch =
                [box, call = *call_] {
                  const at::NoGradGuard no_grad;
                  *box = call();
                },
            .results = [box] { return tensors_in(*box); },
            .clear = [box] { box->clear(); }};
  }

  bool is_mutating() const override { return call_->handle.schema().is_mutable(); }

  /// A sum over everything that an output element may have been made of.
  double tolerance(const Tensors& expected) const override {
    if (subject_.declaration->tolerance) return *subject_.declaration->tolerance;
    double inputs = 1;
    double outputs = 1;
    for (const at::Tensor& tensor : tensors_in(call_->arguments))
      inputs = std::max(inputs, double(tensor.numel()));
    for (const at::Tensor& tensor : expected) outputs = std::max(outputs, double(tensor.numel()));
    constexpr double kFactor = 8;
    const auto dtype = dtype_named(std::get<std::string>(subject_.params.at("dtype"))).value();
    return plumbline::tolerance(dtype, std::max(1.0, inputs / outputs), kFactor);
  }

  double flops() const override { return cost(subject_.declaration->flops); }
  double bytes() const override { return cost(subject_.declaration->bytes); }

 private:
  /// Operators that may draw random numbers often do not: attention without dropout.
  bool is_repeatable(const Tensors& once) const {
    const Tensors again =
        tensors_in(OperatorCall{call_->handle, map_tensors(call_->arguments, exact)}());
    return std::ranges::equal(
        once, again, [](const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); });
  }

  double cost(const std::string& text) const {
    return text.empty() ? kUnknown : evaluate_number(text, subject_.params);
  }

  const Case& subject_;
  Device& device_;
  bool is_cuda_;
  std::uint64_t seed_;
  std::vector<std::pair<std::string, ExpressionPtr>> args_;
  ExpressionPtr reference_;
  std::map<std::string, at::IValue> named_;
  std::optional<OperatorCall> call_;
};

}  // namespace

std::unique_ptr<Workload> declared_workload(const Case& subject, Device& device, bool is_cuda,
                                            std::uint64_t seed) {
  return std::make_unique<DeclaredWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
