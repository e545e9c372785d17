/// Tolerances of a suite's graph, and its inputs and reference on a CPU.
#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include "core/op/declaration.h"
#include "core/op/op_spec.h"
#include "core/run/case.h"
#include "device/cpu/cpu_device.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

/// c = a b; c has the type `type`, or the case's type if that is empty.
Case product(const std::string& type, const std::string& dtype) {
  Declaration declaration;
  declaration.graph =
      R"({"context": {"compute_data_type": "FLOAT"},
          "tensors": {"a": {"dim": [1, 64, 32], "stride": [2048, 32, 1]},
                      "b": {"dim": [1, 32, 64], "stride": [2048, 64, 1]}, "c": {)" +
      type +
      R"(}}, "nodes": [{"tag": "MATMUL", "inputs": {"A": "a", "B": "b"}, "outputs": {"C": "c"}}]})";
  Case subject;
  subject.name = subject.op = "product";
  subject.backend = "cudnn";
  subject.params["dtype"] = dtype;
  subject.params["direction"] = "forward";
  subject.declaration = std::make_shared<Declaration>(declaration);
  return subject;
}

class GraphWorkloads : public testing::Test {
 protected:
  /// The allowed error for a result of that type.
  double allowed(const Case& subject, at::ScalarType type) {
    const auto workload = graph_workload(subject, device_, /*is_cuda=*/false, 1);
    workload->make_inputs();
    expected_ = workload->reference();
    return workload->bounds(expected_, type).rel_l2;
  }

  CpuDevice device_;
  Tensors expected_;
};

TEST_F(GraphWorkloads, AResultOfFewerBitsThanTheCaseIsRoundedToThem) {
  const Case subject = product(R"("data_type": "FP8_E4M3")", "float16");
  const double of_case = allowed(subject, at::kHalf);
  ASSERT_EQ(expected_.size(), 1u);
  const at::Tensor rounded = expected_[0].to(at::kFloat).to(at::kFloat8_e4m3fn).to(at::kDouble);
  const double off = ((rounded - expected_[0]).norm() / expected_[0].norm()).item<double>();
  EXPECT_GT(off, of_case) << "a right result is no mistake";
  EXPECT_LT(off, allowed(subject, at::kFloat8_e4m3fn));
  EXPECT_EQ(allowed(product("", "float16"), at::kFloat), of_case) << "finer than what is read";
}

TEST_F(GraphWorkloads, AToleranceThatTheSuiteStatesIsThatOfAllResults) {
  const Case subject = product(R"("data_type": "FP8_E4M3")", "float16");
  Case stated = subject;
  Declaration declaration = *subject.declaration;
  declaration.tolerance = 0.01;
  stated.declaration = std::make_shared<Declaration>(declaration);
  EXPECT_EQ(allowed(stated, at::kFloat8_e4m3fn), 0.01);
}

}  // namespace
}  // namespace plumbline
