/// What `data` makes of the inputs of ops, on the CPU.
#include "worker/workloads/input_values.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/abs.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include "backends/implementation.h"
#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

using Kind = Distribution::Kind;

Tensors inputs_of(const std::string& text, std::uint64_t seed = 1) {
  static CpuDevice device;
  static Case subject;
  subject = case_of(text);
  device.place(seed);
  const auto workload = catalogue_workload(subject, device, /*is_cuda=*/false, seed);
  workload->make_inputs();
  Tensors inputs;
  for (const at::Tensor& input : workload->inputs()) inputs.push_back(input.detach().clone());
  return inputs;
}

at::Tensor matrix(const std::string& data, const std::string& dtype = "float32",
                  std::uint64_t seed = 1) {
  return inputs_of("softmax rows=64 cols=1024 dtype=" + dtype + " data=" + data, seed)[0].to(
      at::kDouble);
}

TEST(InputData, UniformIsWhatACaseWithoutTheParameterHas) {
  EXPECT_TRUE(at::equal(matrix("uniform"),
                        inputs_of("softmax rows=64 cols=1024 dtype=float32")[0].to(at::kDouble)));
}

TEST(InputData, NormalHasMeanZeroAndDeviationOne) {
  for (const char* dtype : {"float64", "float32", "bfloat16"}) {
    const at::Tensor x = matrix("normal", dtype);
    EXPECT_NEAR(x.mean().item<double>(), 0, 0.02) << dtype;
    EXPECT_NEAR(x.std().item<double>(), 1, 0.02) << dtype;
  }
}

TEST(InputData, SparseIsNineTenthsZeros) {
  for (const char* dtype : {"float64", "float32", "float16"}) {
    const at::Tensor x = matrix("sparse", dtype);
    EXPECT_NEAR((x == 0).to(at::kDouble).mean().item<double>(), 0.9, 0.01) << dtype;
    EXPECT_GT(at::abs(x).max().item<double>(), 0.99) << dtype;
  }
}

TEST(InputData, ZerosAreZeros) { EXPECT_EQ(at::abs(matrix("zeros")).max().item<double>(), 0); }

TEST(InputData, RealLikeHasTheSameFewLargeChannelsInEveryRow) {
  const at::Tensor size = at::abs(matrix("real_like")).mean(at::IntArrayRef({0}));
  const at::Tensor is_large = size > 8;  // |N(0, 1)| has the mean 0.8, times 20 is 16
  EXPECT_EQ(is_large.sum().item<std::int64_t>(), 2) << "one in 512 of 1024 channels";
  EXPECT_LT(size.masked_select(is_large.logical_not()).max().item<double>(), 2);
}

TEST(InputData, OtherSeedsGiveOtherValues) {
  for (const char* data : {"normal", "sparse", "real_like"})
    EXPECT_FALSE(at::equal(matrix(data), matrix(data, "float32", 2))) << data;
}

TEST(InputData, RefillingGivesTheValuesOfMaking) {
  CpuDevice device;
  for (const char* data : {"sparse", "real_like", "zeros"}) {
    const Case subject = case_of(std::string("gelu elements=999 dtype=float32 direction=backward "
                                             "data=") +
                                 data);
    const auto workload = catalogue_workload(subject, device, /*is_cuda=*/false, 1);
    workload->make_inputs();
    Tensors made;
    for (const at::Tensor& input : workload->inputs()) made.push_back(input.detach().clone());
    for (const at::Tensor& input : workload->inputs()) input.detach().fill_(7);
    ASSERT_TRUE(workload->refill());
    for (std::size_t i = 0; i < made.size(); ++i)
      EXPECT_TRUE(at::equal(workload->inputs()[i].detach(), made[i])) << data << ' ' << i;
  }
}

TEST(InputData, KeepsIndicesAndVariances) {
  const Tensors loss = inputs_of("cross_entropy rows=64 classes=9 dtype=float32 data=zeros");
  EXPECT_EQ(at::abs(loss[0]).max().item<double>(), 0);
  EXPECT_GT(loss[1].max().item<std::int64_t>(), 0) << "classes are no numbers to choose";
  EXPECT_FALSE(chosen_values(InputData::zeros, {Kind::uniform, 0.1, 1}, DType::float32, 1));
  EXPECT_FALSE(chosen_values(InputData::zeros, {}, DType::int32, 1));
}

TEST(InputData, KeepsTheDeclaredSize) {
  const auto normal = chosen_values(InputData::normal, {Kind::uniform, -2, 2}, DType::float32, 1);
  ASSERT_TRUE(normal);
  EXPECT_EQ(normal->high, 2);
}

TEST(InputData, ACaseWithoutFreeInputsIsRefused) {
  CpuDevice device;
  const Case subject = case_of("int8_gemm m=32 n=32 k=32 dtype=int8 data=sparse");
  try {
    catalogue_workload(subject, device, /*is_cuda=*/false, 1);
    ADD_FAILURE() << "it was accepted";
  } catch (const Unsupported& reason) {
    EXPECT_EQ(std::string(reason.what()),
              "data=sparse: no floating-point input of this case has values that may be chosen; "
              "leave `data` out");
  }
}

}  // namespace
}  // namespace plumbline
