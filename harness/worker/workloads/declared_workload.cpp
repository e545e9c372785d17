#include <ATen/Context.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/equal.h>

#include <algorithm>

#include "backends/libtorch/applied_settings.h"
#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

/// aten::empty, empty_like, new_empty and the like, and resize: their results have no values yet.
bool leaves_results_unset(const c10::OperatorHandle& handle) {
  const std::string& name = handle.schema().name();
  return name.starts_with("aten::empty") || name.starts_with("aten::new_empty") ||
         name.starts_with("aten::resize");
}

/// LibTorch's operators that change running statistics without saying so in their schemas.
bool changes_statistics(const std::string& name) {
  constexpr std::string_view kNames[] = {
      "aten::batch_norm",        "aten::native_batch_norm",      "aten::cudnn_batch_norm",
      "aten::miopen_batch_norm", "aten::_batch_norm_impl_index", "aten::instance_norm"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// Operators whose kernels treat every type except bfloat16 as float16, and so compute nonsense for
/// float64 (aten/src/ATen/native/cudnn/MHA.cpp).
bool takes_float64_for_float16(const std::string& name) {
  return name.starts_with("aten::_") && name.find("cudnn_attention") != std::string::npos;
}

/// `op: aten::…` of a suite: arguments from expressions, called through the dispatcher.
class DeclaredWorkload final : public DeclaredProblem {
 public:
  DeclaredWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : DeclaredProblem(subject, device, is_cuda, seed) {}

  void make_inputs() override {
    call_.reset();
    make_values();
    call_ = bind_operator(subject().op, {}, values());
  }

  void drop_inputs() override {
    drop_values();
    call_.reset();
  }

  Tensors inputs() const override { return tensors_in(call_->arguments); }

  Tensors reference() override {
    if (has_declared_reference()) return declared_reference();
    if (leaves_results_unset(call_->handle))
      throw NoReference("the operator leaves its result unset");
    if (takes_float64_for_float16(call_->handle.schema().name()))
      throw NoReference("the operator does not run in float64");
    const at::NoGradGuard no_grad;
    try {
      if (draws_random_numbers())
        throw NoReference("the operator draws random numbers; a suite may declare a reference");
      Tensors expected = tensors_in(in_float64()());
      for (at::Tensor& tensor : expected)  // a cast defines its own type
        if (at::isFloatingType(tensor.scalar_type())) tensor = exact(tensor);
      return expected;
    } catch (const c10::OutOfMemoryError&) {
      throw;
    } catch (const c10::Error& error) {
      throw NoReference(std::string("the operator does not run in float64: ") +
                        error.what_without_backtrace());
    }
  }

  /// Operators that may draw often do not: attention without dropout.
  bool draws_random_numbers() const override {
    if (!call_->handle.hasTag(at::Tag::nondeterministic_seeded)) return false;
    const at::NoGradGuard no_grad;
    const at::Tensor before = random_state();
    in_float64()();
    return !at::equal(before, random_state());
  }

  Prepared prepare() override {
    const Implementation plain = [this](const Problem&, const Operands&) -> Prepared {
      auto box = std::make_shared<Stack>();
      return {.launch =
                  [box, call = *call_] {
                    const at::NoGradGuard no_grad;
                    *box = call();
                  },
              .results = [box] { return tensors_in(*box); },
              .clear = [box] { box->clear(); },
              .result_handles = 2,
              .keeps_no_values = true};
    };
    return with_library_settings(plain, !is_mutating())(Problem(subject()), {});
  }

  /// Only the operator defines the type of its results.
  bool may_be_narrower() const override { return false; }

  /// LibTorch's own operators return views and lazy copies only where their documentation says so.
  bool may_return_inputs() const override {
    const c10::FunctionSchema& schema = call_->handle.schema();
    return schema.name().starts_with("aten::") ||
           std::ranges::any_of(schema.returns(), [](const c10::Argument& returned) {
             return returned.alias_info() != nullptr;
           });
  }

  bool is_mutating() const override {
    const c10::FunctionSchema& schema = call_->handle.schema();
    return schema.is_mutable() || changes_statistics(schema.name());
  }

 private:
  OperatorCall in_float64() const { return {call_->handle, map_tensors(call_->arguments, exact)}; }

  /// A copy of the state of LibTorch's generator on this device.
  at::Tensor random_state() const {
    const at::DeviceType device = is_cuda() ? at::kCUDA : at::kCPU;
    return at::globalContext().defaultGenerator(at::Device(device)).get_state();
  }

  std::optional<OperatorCall> call_;
};

}  // namespace

std::unique_ptr<Workload> declared_workload(const Case& subject, Device& device, bool is_cuda,
                                            std::uint64_t seed) {
  return std::make_unique<DeclaredWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
