#include <torch/csrc/autograd/autograd.h>

#include "core/expression.h"
#include "device/random.h"
#include "ops/catalogue.h"
#include "worker/workloads.h"

namespace plumbline {
namespace {

class CatalogueWorkload final : public Workload {
 public:
  CatalogueWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : problem_(subject), device_(device), is_cuda_(is_cuda), seed_(seed) {
    static const Catalogue kCatalogue = make_catalogue();
    const CatalogueEntry* entry = find_op(kCatalogue, subject.op);
    definition_ = find_definition(subject.op);
    implementation_ = find_implementation(subject.op, subject.backend);
    if (entry == nullptr || definition_ == nullptr || !implementation_)
      throw Unsupported("this worker has no " + subject.backend + " implementation of " +
                        subject.op);
    spec_ = &entry->spec;
  }

  void make_inputs() override {
    operands_ = {};
    std::uint64_t index = 0;
    for (const InputSpec& input : definition_->inputs(problem_)) {
      at::Tensor tensor =
          make_tensor(device_, is_cuda_, input.shape, input.dtype, input.distribution,
                      input.is_channels_last, random_bits(seed_, index++));
      if (problem_.is_backward() && input.is_differentiable) tensor.requires_grad_();
      operands_.inputs.push_back(tensor);
    }
    if (problem_.is_backward())
      operands_.output_gradient = make_tensor(device_, is_cuda_, output_shape(), problem_.dtype(),
                                              Distribution{}, false, random_bits(seed_, index));
  }

  void drop_inputs() override { operands_ = {}; }

  Tensors inputs() const override {
    Tensors all = operands_.inputs;
    if (operands_.output_gradient.defined()) all.push_back(operands_.output_gradient);
    return all;
  }

  Tensors reference() override {
    Tensors inputs;
    Tensors leaves;
    for (const at::Tensor& input : operands_.inputs) {
      at::Tensor exact = input.detach().to(at::kDouble);
      if (input.requires_grad()) leaves.push_back(exact.requires_grad_());
      inputs.push_back(exact);
    }
    if (!problem_.is_backward()) return {definition_->reference(problem_, inputs)};
    const at::Tensor output = definition_->reference(problem_, inputs);
    return torch::autograd::grad({output}, leaves, {operands_.output_gradient.to(at::kDouble)});
  }

  Prepared prepare() override { return implementation_(problem_, operands_); }

  bool is_mutating() const override { return false; }

  double tolerance(const Tensors&) const override {
    const double length = evaluate_number(spec_->reduction_length, problem_.subject().params);
    return plumbline::tolerance(problem_.dtype(), length, spec_->tolerance_factor);
  }

  double flops() const override { return cost(&CostSpec::flops); }
  double bytes() const override { return cost(&CostSpec::bytes); }

 private:
  double cost(std::string CostSpec::*member) const {
    const CostSpec& costs = problem_.is_backward() ? spec_->backward : spec_->forward;
    return evaluate_number(costs.*member, problem_.subject().params);
  }

  /// Known to the reference alone; asked once.
  const std::vector<std::int64_t>& output_shape() {
    if (output_shape_) return *output_shape_;
    Tensors inputs;
    for (const at::Tensor& input : operands_.inputs)
      inputs.push_back(input.detach().to(at::kDouble));
    output_shape_ = definition_->reference(problem_, inputs).sizes().vec();
    return *output_shape_;
  }

  Problem problem_;
  Device& device_;
  bool is_cuda_;
  std::uint64_t seed_;
  const OpSpec* spec_ = nullptr;
  const Definition* definition_ = nullptr;
  Implementation implementation_;
  Operands operands_;
  std::optional<std::vector<std::int64_t>> output_shape_;
};

}  // namespace

std::unique_ptr<Workload> catalogue_workload(const Case& subject, Device& device, bool is_cuda,
                                             std::uint64_t seed) {
  return std::make_unique<CatalogueWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
