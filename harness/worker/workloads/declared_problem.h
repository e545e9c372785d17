/// Shared by all ops that a suite declares over tensors: input values, reference, tolerance and
/// cost.
///
/// Does not know what computes the op.
#pragma once

#include <ATen/core/ivalue.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/implementation.h"
#include "core/expression/expression.h"
#include "device/device.h"
#include "worker/workloads/recorded_inputs.h"
#include "worker/workloads/workload.h"

namespace plumbline {

class DeclaredProblem : public Workload {
 public:
  /// `subject` must outlive it. Throws Error for an invalid expression, Unsupported for the
  /// backward direction.
  DeclaredProblem(const Case& subject, Device& device, bool is_cuda, std::uint64_t seed);

  void use_seed(std::uint64_t seed) override { seed_ = seed; }
  bool refill() override;
  /// Where all values come from a file, or are the same for every seed.
  std::optional<std::uint64_t> repeated_inputs() const override;
  std::vector<std::string> flags() override;

  /// From the suite's tolerance, or by dtype, for a sum of all elements that an output element may
  /// depend on.
  Bounds bounds(const Tensors& expected, at::ScalarType) const override;
  double tolerance(const Tensors& expected) const override {
    return bounds(expected, at::kDouble).rel_l2;
  }
  std::string reference_in_words() const override {
    return has_declared_reference() ? "the suite's reference" : "the same operator in float64";
  }
  /// Of arguments that are plain generators; expressions of operators are not counted.
  LeastMemory least_memory(double room_bytes) const override;
  double flops() const override { return cost(subject_.declaration->flops); }
  double bytes() const override { return cost(subject_.declaration->bytes); }

 protected:
  bool is_cuda() const { return is_cuda_; }
  const Case& subject() const { return subject_; }

  /// Fresh values of all inputs, always the same, at the current placement. Throws Error with the
  /// argument's name.
  void make_values();
  void drop_values() {
    values_.clear();
    drawn_.clear();
  }
  /// By argument: inputs, including those that launches change.
  const std::map<std::string, at::IValue>& values() const { return values_; }

  bool has_declared_reference() const { return reference_ != nullptr; }
  /// The reference is computed from float64 copies of all arguments.
  virtual bool copies_inputs() const { return has_declared_reference(); }
  /// The declared reference on the exact values. Throws Error.
  Tensors declared_reference() const;

 private:
  double cost(const std::string& text) const;
  bool is_drawn(const at::Tensor& tensor) const;
  bool has_random_values() const;
  bool is_recorded() const { return !subject_.declaration->recorded.empty(); }

  const Case& subject_;
  Device& device_;
  bool is_cuda_;
  std::uint64_t seed_;
  std::uint64_t filled_seed_ = 0;  // of the current values
  std::vector<std::pair<std::string, ExpressionPtr>> inputs_;
  ExpressionPtr reference_;
  std::map<std::string, at::IValue> values_;
  RecordedInputs recorded_;
  struct Drawn {
    at::Tensor tensor;
    DType dtype;
    Distribution distribution;
    std::optional<GeneratedTensor> recorded{};  // its values come from a file
  };
  std::vector<Drawn> drawn_;  // in the order of their seeds
};

}  // namespace plumbline
