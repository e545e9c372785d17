#include <ATen/ops/empty.h>

#include <algorithm>

#include "backends/custom_code.h"
#include "backends/libtorch/libtorch.h"
#include "core/error.h"
#include "core/generated_tensor.h"
#include "worker/workloads/declared_problem.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using Role = Argument::Role;

bool is_result(const Argument& argument) {
  return argument.role == Role::output || argument.role == Role::inout;
}

/// `op: kernel` and `op: plugin` of a suite: code that is told where its results are to be.
class CustomWorkload final : public Workload {
 public:
  CustomWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : problem_(subject, device, is_cuda, seed),
        is_cuda_(is_cuda),
        code_(subject.declaration->kernel ? open_kernel(subject, is_cuda)
                                          : open_plugin(subject, is_cuda)) {}

  void use_seed(std::uint64_t seed) override { problem_.use_seed(seed); }

  void make_inputs() override {
    problem_.make_values();
    for (const auto& [name, value] : problem_.values())
      if (!value.isTensor() || !value.toTensor().is_contiguous())
        throw Error("args." + name +
                    (value.isTensor() ? ": the tensor is not contiguous: only its address is given"
                                      : ": this is no tensor"));
  }

  void drop_inputs() override { problem_.drop_values(); }

  Tensors inputs() const override {
    Tensors tensors;
    for (const Argument& argument : arguments())
      if (const auto found = problem_.values().find(argument.name);
          found != problem_.values().end())
        tensors.push_back(found->second.toTensor());
    return tensors;
  }

  Tensors reference() override {
    if (!problem_.has_reference()) throw NoReference("the suite declares no reference");
    return problem_.reference();
  }

  Prepared prepare() override {
    BoundTensors tensors;
    Tensors results;
    for (const Argument& argument : arguments()) {
      tensors.push_back(tensor_for(argument));
      if (is_result(argument)) results.push_back(tensors.back());
    }
    return {
        .launch = code_->bind(tensors), .results = [results] { return results; }, .clear = [] {}};
  }

  bool is_mutating() const override {
    return std::ranges::any_of(
        arguments(), [](const Argument& argument) { return argument.role == Role::inout; });
  }

  double tolerance(const Tensors& expected) const override {
    return problem_.bounds(inputs(), expected).rel_l2;
  }
  Bounds bounds(const Tensors& expected, at::ScalarType) const override {
    return problem_.bounds(inputs(), expected);
  }

  std::vector<FileRef> files() const override { return code_->files(); }

  double flops() const override { return problem_.flops(); }
  double bytes() const override { return problem_.bytes(); }

 private:
  const std::vector<Argument>& arguments() const { return problem_.subject().declaration->args; }

  at::Tensor tensor_for(const Argument& argument) const {
    if (argument.role == Role::scalar) return {};
    if (argument.role == Role::input || argument.role == Role::inout)
      return problem_.values().at(argument.name).toTensor();
    const Params& params = problem_.subject().params;
    const auto options = at::TensorOptions()
                             .dtype(scalar_type(dtype_of_output(argument, params)))
                             .device(is_cuda_ ? at::kCUDA : at::kCPU);
    return at::empty(shape_of(*parse_expression(argument.expression), params), options);
  }

  DeclaredProblem problem_;
  bool is_cuda_;
  std::unique_ptr<CustomCode> code_;
};

}  // namespace

std::unique_ptr<Workload> custom_workload(const Case& subject, Device& device, bool is_cuda,
                                          std::uint64_t seed) {
  return std::make_unique<CustomWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
