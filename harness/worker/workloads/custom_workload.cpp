#include <ATen/ops/empty.h>

#include <algorithm>

#include "backends/custom_code.h"
#include "backends/libtorch/libtorch.h"
#include "core/error.h"
#include "core/expression/generated_tensor.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using Role = Argument::Role;

bool is_result(const Argument& argument) {
  return argument.role == Role::output || argument.role == Role::inout;
}

/// `op: kernel` and `op: plugin` of a suite: code that gets the addresses of its results.
class CustomWorkload final : public DeclaredProblem {
 public:
  CustomWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : DeclaredProblem(subject, device, is_cuda, seed),
        is_cuda_(is_cuda),
        code_(subject.declaration->kernel ? open_kernel(subject, is_cuda)
                                          : open_plugin(subject, is_cuda)) {}

  void make_inputs() override {
    make_values();
    for (const auto& [name, value] : values())
      if (!value.isTensor() || !value.toTensor().is_contiguous())
        throw Error("args." + name +
                    (value.isTensor() ? ": the tensor is not contiguous: only its address is given"
                                      : ": this is no tensor"));
  }

  void drop_inputs() override { drop_values(); }

  Tensors inputs() const override {
    Tensors tensors;
    for (const Argument& argument : arguments())
      if (const auto found = values().find(argument.name); found != values().end())
        tensors.push_back(found->second.toTensor());
    return tensors;
  }

  Tensors reference() override {
    if (!has_declared_reference()) throw NoReference("the suite declares no reference");
    return declared_reference();
  }

  Prepared prepare() override {
    BoundTensors tensors;
    Tensors results;
    for (const Argument& argument : arguments()) {
      tensors.push_back(tensor_for(argument));
      if (is_result(argument)) results.push_back(tensors.back());
    }
    return {.launch = code_->bind(tensors),
            .results = [results] { return results; },
            .clear = [] {},
            .keeps_no_values = true};
  }

  bool is_mutating() const override {
    return std::ranges::any_of(
        arguments(), [](const Argument& argument) { return argument.role == Role::inout; });
  }

  std::vector<FileRef> files() const override { return code_->files(); }

 private:
  const std::vector<Argument>& arguments() const { return subject().declaration->args; }

  at::Tensor tensor_for(const Argument& argument) const {
    if (argument.role == Role::scalar) return {};
    if (argument.role == Role::input || argument.role == Role::inout)
      return values().at(argument.name).toTensor();
    const Params& params = subject().params;
    const auto options = at::TensorOptions()
                             .dtype(scalar_type(dtype_of_output(argument, params)))
                             .device(is_cuda_ ? at::kCUDA : at::kCPU);
    return at::empty(shape_of(*parse_expression(argument.expression), params), options);
  }

  bool is_cuda_;
  std::unique_ptr<CustomCode> code_;
};

}  // namespace

std::unique_ptr<Workload> custom_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed) {
  return std::make_unique<CustomWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
