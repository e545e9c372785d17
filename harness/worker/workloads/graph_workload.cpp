#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "backends/cudnn/reference/reference.h"
#include "backends/cudnn/suite_graph.h"
#include "backends/libtorch/libtorch.h"
#include "core/expression/expression.h"
#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "core/unknown.h"
#include "device/random.h"
#include "worker/workloads/input_values.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using cudnn::GraphOperand;

/// Elements from the first to the last one that the strides reach.
std::int64_t span_of(const GraphOperand& operand) {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < operand.dims.size(); ++i)
    last += (operand.dims[i] - 1) * operand.strides[i];
  return last + 1;
}

/// The innermost dimension in memory.
std::int64_t channels_in(const GraphOperand& operand) {
  for (std::size_t i = 0; i < operand.dims.size(); ++i)
    if (operand.strides[i] == 1 && operand.dims[i] > 1) return operand.dims[i];
  return 1;
}

/// `op: cudnn.graph` of a suite, on random inputs.
class GraphWorkload final : public Workload {
 public:
  GraphWorkload(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed)
      : problem_(subject),
        device_(device),
        is_cuda_(is_cuda),
        seed_(seed),
        graph_(subject, is_cuda) {
    if (const std::string reason = unsettable("cudnn", subject.params); !reason.empty())
      throw Unsupported(reason);
    if (problem_.is_backward())
      throw Unsupported(
          "a graph has no backward direction: write the backward pass as another graph");
  }

  void use_seed(std::uint64_t seed) override { seed_ = seed; }

  void make_inputs() override {
    drop_inputs();
    const at::NoGradGuard no_grad;
    std::uint64_t index = 0;
    for (const GraphOperand& operand : graph_.operands())
      if (!operand.is_written) inputs_.push_back(made(operand, random_bits(seed_, index++)));
  }

  void drop_inputs() override { inputs_.clear(); }
  Tensors inputs() const override { return inputs_; }

  Tensors reference() override {
    Tensors inputs;
    for (const at::Tensor& input : inputs_) inputs.push_back(exact(input));
    try {
      return graph_.reference(inputs);
    } catch (const cudnn::NoFormula& reason) {
      throw NoReference(reason.what());
    } catch (const nlohmann::json::exception& mistake) {
      throw NoReference(std::string("a formula reads the graph otherwise than cuDNN: ") +
                        mistake.what());
    }
  }

  Prepared prepare() override { return graph_.prepare(problem_, inputs_); }
  bool is_mutating() const override { return false; }

  double tolerance(const Tensors& expected) const override {
    return bounds(expected, scalar_type(problem_.dtype())).rel_l2;
  }

  /// As for other declared ops (declared_problem.h), with one more rounding between operations;
  /// TF32 rounds inputs. If the graph writes a result in fewer bits than the case's dtype, the
  /// bounds follow those bits.
  Bounds bounds(const Tensors& expected, at::ScalarType result) const override {
    const Declaration& declaration = *problem_.subject().declaration;
    if (declaration.tolerance) return {*declaration.tolerance, 4 * *declaration.tolerance};
    double read = 1, written = 1;
    for (const at::Tensor& tensor : inputs_) read = std::max(read, double(tensor.numel()));
    for (const at::Tensor& tensor : expected) written = std::max(written, double(tensor.numel()));
    constexpr double kFactor = 16, kOperations = 2;
    const DType of_result = dtype_of(result);
    const bool is_coarser = info(of_result).epsilon > info(problem_.dtype()).epsilon;
    return declared_bounds(is_coarser ? of_result : problem_.dtype(), std::max(1.0, read / written),
                           kFactor, kOperations,
                           input_rounding(library_settings(problem_.subject().params)));
  }

  LeastMemory least_memory(double) const override {
    LeastMemory least;
    for (const GraphOperand& operand : graph_.operands())
      if (!operand.is_written)
        least.inputs += double(span_of(operand)) * double(at::elementSize(scalar_type_of(operand)));
    return least;
  }

  double flops() const override { return cost(problem_.subject().declaration->flops); }
  double bytes() const override { return cost(problem_.subject().declaration->bytes); }

 private:
  double cost(const std::string& text) const {
    return text.empty() ? kUnknown : evaluate_number(text, problem_.subject().params);
  }

  /// 8-bit types are rounded from float32, which the random generator fills.
  at::Tensor made(const GraphOperand& operand, std::uint64_t seed) const {
    const at::ScalarType type = scalar_type_of(operand);
    const bool is_8_bit = type == at::kFloat8_e4m3fn || type == at::kFloat8_e5m2;
    const DType filled = is_8_bit ? DType::float32 : dtype_of(type);
    const Distribution declared =
        is_floating(filled) ? Distribution{} : Distribution{Distribution::Kind::integer, 0, 2};
    const Distribution distribution =
        chosen_values(input_data(problem_.subject().params), declared, filled, channels_in(operand))
            .value_or(declared);
    at::Tensor tensor =
        make_tensor(device_, is_cuda_, {span_of(operand)}, filled, distribution, false, seed);
    if (is_8_bit) tensor = tensor.to(type);
    return tensor.as_strided(operand.dims, operand.strides);
  }

  Problem problem_;
  Device& device_;
  bool is_cuda_;
  std::uint64_t seed_;
  SuiteGraph graph_;
  Tensors inputs_;
};

}  // namespace

std::unique_ptr<Workload> graph_workload(const Case& subject, Device& device, bool is_cuda,
                                         std::uint64_t seed) {
  return std::make_unique<GraphWorkload>(subject, device, is_cuda, seed);
}

}  // namespace plumbline
