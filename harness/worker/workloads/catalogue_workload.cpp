#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <set>

#include "backends/libtorch/libtorch.h"
#include "core/expression/expression.h"
#include "core/op/library_settings.h"
#include "core/op/op_limits.h"
#include "core/op/ranks.h"
#include "device/random.h"
#include "ops/catalogue.h"
#include "worker/workloads/input_values.h"
#include "worker/workloads/workloads.h"

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
    for (const std::string& reason :
         {unsettable(subject.backend, subject.params),
          beyond_limits(*spec_, subject.backend, subject.params, is_cuda ? "cuda" : "cpu")})
      if (!reason.empty()) throw Unsupported(reason);
    require_free_inputs();
  }

  void use_seed(std::uint64_t seed) override { seed_ = seed; }

  void make_inputs() override {
    operands_ = {};
    filled_seed_ = seed_;
    std::uint64_t index = 0;
    bool is_channels_last = false;  // also of the output's gradient, as in a network of that layout
    for (const InputSpec& input : definition_->inputs(problem_)) {
      is_channels_last |= input.is_channels_last;
      at::Tensor tensor =
          make_tensor(device_, is_cuda_, input.shape, input.dtype, values_of(input),
                      input.is_channels_last, random_bits(seed_, index++), input.rank);
      if (input.arrange) tensor = input.arrange(tensor);
      if (problem_.is_backward() && input.is_differentiable && tensor.is_floating_point())
        tensor.requires_grad_();
      operands_.inputs.push_back(tensor);
    }
    if (problem_.is_backward())
      operands_.output_gradient = make_tensor(device_, is_cuda_, output_shape(), problem_.dtype(),
                                              gradient_values(is_channels_last), is_channels_last,
                                              random_bits(seed_, index));
  }

  bool refill() override {
    const std::vector<InputSpec> specs = definition_->inputs(problem_);
    if (std::ranges::any_of(specs, [](const InputSpec& spec) { return bool(spec.arrange); }))
      return false;
    std::uint64_t index = 0;
    bool is_channels_last = false;
    const auto fill = [&](const at::Tensor& tensor, DType dtype, const Distribution& distribution) {
      device_.fill({tensor.data_ptr(), dtype, tensor.numel()}, random_bits(seed_, index++),
                   distribution);
      if (filled_seed_ != seed_) has_other_values(tensor);
    };
    for (const InputSpec& spec : specs) {
      is_channels_last |= spec.is_channels_last;
      fill(operands_.inputs[std::size_t(index)], spec.dtype, values_of(spec));
    }
    if (problem_.is_backward())
      fill(operands_.output_gradient, problem_.dtype(), gradient_values(is_channels_last));
    filled_seed_ = seed_;
    return true;
  }

  void drop_inputs() override { operands_ = {}; }

  Tensors inputs() const override {
    Tensors all = operands_.inputs;
    if (operands_.output_gradient.defined()) all.push_back(operands_.output_gradient);
    return all;
  }

  Tensors reference() override {
    const Tensors inputs = exact_inputs();
    if (!problem_.is_backward()) return definition_->reference(problem_, inputs).all;
    Tensors leaves;
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (operands_.inputs[i].requires_grad()) leaves.push_back(inputs[i].requires_grad_());
    const at::Tensor output = definition_->reference(problem_, inputs).all.front();
    return torch::autograd::grad({output}, leaves, {exact(operands_.output_gradient)});
  }

  Prepared prepare() override { return implementation_(problem_, operands_); }

  bool is_mutating() const override {
    return definition_->is_mutating ||
           (definition_->mutates != nullptr && definition_->mutates(problem_));
  }

  HostTimed host_timed() const override {
    return evaluate_condition(*parse_expression(spec_->host_timed), problem_.subject().params)
               ? HostTimed::alone
               : HostTimed::if_not_held;
  }

  Tensors comparable(const Tensors& results) const override {
    return definition_->comparable ? definition_->comparable(problem_, inputs(), results) : results;
  }

  double tolerance(const Tensors&) const override {
    return tolerance_of(*spec_, problem_.subject().params);
  }

  Bounds bounds(const Tensors&, at::ScalarType result) const override {
    const Params& params = problem_.subject().params;
    return bounds_of(*spec_, params,
                     at::isFloatingType(result) ? dtype_of(result) : problem_.dtype());
  }

  bool can_be_disturbed() const override { return !spec_->hinges_on_ties; }

  LeastMemory least_memory(double room_bytes) const override {
    LeastMemory least;
    Tensors shapes, leaves;  // of what reference() gets, without memory
    for (const InputSpec& input : definition_->inputs(problem_)) {
      const at::ScalarType type = scalar_type(input.dtype);
      const bool is_real = at::isFloatingType(type);
      shapes.push_back(without_memory(input.shape, is_real && !has_ranks() ? at::kDouble : type));
      if (problem_.is_backward() && is_real && input.is_differentiable)
        leaves.push_back(shapes.back().requires_grad_());
      if (!input.arrange && input.rank == 0)  // arranged, it may need less
        add_input(input.shape, input.dtype, least);
    }
    if (has_ranks()) least.copies = 0;
    // float64 is at most eight times as large as an input or a result.
    const bool is_close = 17 * least.inputs + least.copies + 8 * bytes() > room_bytes;
    if (!is_close) return least;
    try {
      return with_expected(shapes, leaves, least);
    } catch (const std::exception&) {
      return least;  // the reference needs values
    }
  }

  double flops() const override { return cost(&CostSpec::flops); }
  double bytes() const override { return cost(&CostSpec::bytes); }

 private:
  /// The case's `data`, for inputs with free values (input_values.h). Inputs without a gradient
  /// keep theirs: they are keys, or state that the op has made.
  std::optional<Distribution> chosen(const InputSpec& input) const {
    if (!input.is_differentiable) return std::nullopt;
    return chosen_values(input_data(problem_.subject().params), input.distribution, input.dtype,
                         channels_of(input.shape, input.is_channels_last));
  }

  Distribution values_of(const InputSpec& input) const {
    return chosen(input).value_or(input.distribution);
  }

  Distribution gradient_values(bool is_channels_last) {
    return *chosen_values(input_data(problem_.subject().params), {}, problem_.dtype(),
                          channels_of(output_shape(), is_channels_last));
  }

  void require_free_inputs() const {
    const InputData data = input_data(problem_.subject().params);
    if (data == InputData::uniform) return;
    const std::vector<InputSpec> inputs = definition_->inputs(problem_);
    if (std::ranges::none_of(inputs, [this](const auto& input) { return bool(chosen(input)); }))
      throw Unsupported(in_words(data) + ": " + std::string(kNoFreeInputs));
  }

  double cost(std::string CostSpec::*member) const {
    const CostSpec& costs = problem_.is_backward() ? spec_->backward : spec_->forward;
    return evaluate_number(costs.*member, problem_.subject().params);
  }

  static at::Tensor without_memory(at::IntArrayRef shape, at::ScalarType type) {
    return at::empty(shape, at::TensorOptions().dtype(type).device(at::kMeta));
  }

  static void add_input(const std::vector<std::int64_t>& shape, DType dtype, LeastMemory& least) {
    least.inputs += bytes_of(shape, dtype);
    if (dtype != DType::float64)
      least.copies += bytes_of(shape, is_floating(dtype) ? DType::float64 : dtype);
  }

  /// Adds the results of reference() for inputs of these shapes, each memory once and without that
  /// of the inputs; backward also the output's gradient.
  LeastMemory with_expected(const Tensors& shapes, const Tensors& leaves, LeastMemory least) const {
    Tensors expected = definition_->reference(problem_, shapes).all;
    if (problem_.is_backward()) {
      const at::Tensor output = expected.front();
      add_input(output.sizes().vec(), problem_.dtype(), least);
      expected = torch::autograd::grad({output}, leaves, {at::empty_like(output)});
    }
    std::set<const c10::StorageImpl*> counted;
    for (const at::Tensor& shape : shapes) counted.insert(shape.storage().unsafeGetStorageImpl());
    for (const at::Tensor& result : expected)
      if (counted.insert(result.storage().unsafeGetStorageImpl()).second)
        least.expected += double(result.storage().nbytes());
    return least;
  }

  /// Only the reference knows it; computed once.
  const std::vector<std::int64_t>& output_shape() {
    if (!output_shape_)
      output_shape_ =
          in_float64([this] { return definition_->reference(problem_, exact_inputs()).all; })
              .front()
              .sizes()
              .vec();
    return *output_shape_;
  }

  /// References of several ranks convert what they need (ops/rank_inputs.h).
  bool has_ranks() const { return ranks_of(problem_.subject().params) > 1; }

  /// For a reference.
  Tensors exact_inputs() const {
    if (has_ranks()) return operands_.inputs;
    Tensors inputs;
    for (const at::Tensor& input : operands_.inputs) inputs.push_back(exact(input));
    return inputs;
  }

  Problem problem_;
  Device& device_;
  bool is_cuda_;
  std::uint64_t seed_;
  std::uint64_t filled_seed_ = 0;  // of the current values
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
