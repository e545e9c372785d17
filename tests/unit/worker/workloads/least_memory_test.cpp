/// The bound of what a case needs: never more than what its tensors really take.
#include "worker/workloads/least_memory.h"

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <set>

#include "backends/libtorch/libtorch.h"
#include "core/op/declaration.h"
#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"
#include "worker/workloads/workloads.h"

namespace plumbline {
namespace {

/// Bytes of the tensors' memory, each memory once.
double held(const Tensors& tensors, std::set<const void*>& counted) {
  double bytes = 0;
  for (const at::Tensor& tensor : tensors)
    if (tensor.has_storage() && counted.insert(tensor.storage().data()).second)
      bytes += double(tensor.storage().nbytes());
  return bytes;
}

struct Needs {
  LeastMemory least;
  double inputs = 0, copies = 0, expected = 0;  // as they are
};

Needs needs_of(Workload& workload) {
  Needs needs{workload.least_memory(0)};
  workload.make_inputs();
  std::set<const void*> counted;
  needs.inputs = held(workload.inputs(), counted);
  Tensors copies;
  for (const at::Tensor& input : workload.inputs()) copies.push_back(exact(input));
  needs.copies = held(copies, counted);
  const Tensors expected = workload.reference();
  needs.expected = held(expected, counted);
  return needs;
}

class LeastMemoryOf : public testing::TestWithParam<const char*> {};

TEST_P(LeastMemoryOf, AnOpIsNoMoreThanItsTensorsTake) {
  CpuDevice device;
  const Case subject = case_of(GetParam());
  const auto workload = catalogue_workload(subject, device, /*is_cuda=*/false, 1);
  const Needs needs = needs_of(*workload);
  EXPECT_LE(needs.least.inputs, needs.inputs);
  EXPECT_LE(needs.least.copies, needs.copies);
  EXPECT_LE(needs.least.expected, needs.expected);
}

INSTANTIATE_TEST_SUITE_P(
    Catalogue, LeastMemoryOf,
    testing::Values(
        "add elements=64 dtype=float32", "gelu elements=64 dtype=bfloat16",
        "gelu elements=64 dtype=float32 direction=backward",
        "sum rows=4 cols=8 axis=rows dtype=float64", "transpose rows=4 cols=8 dtype=float32",
        "permute a=2 b=3 c=4 d=5 order=acbd dtype=float32",
        "softmax rows=4 cols=8 dtype=float16 direction=backward",
        "layer_norm rows=4 cols=8 dtype=float32 direction=backward",
        "gemm m=8 n=16 k=4 dtype=float32", "gemm m=8 n=16 k=4 dtype=bfloat16 direction=backward",
        "embedding vocabulary=9 width=4 tokens=3 dtype=float32 direction=backward",
        "cross_entropy rows=4 classes=8 dtype=float32 direction=backward",
        "dropout elements=64 dtype=float32", "topk rows=4 cols=8 k=2 dtype=float32",
        "sort rows=4 cols=8 dtype=float32", "scatter rows=4 cols=8 updates=3 dtype=float32",
        "fp8_gemm m=16 n=16 k=16 scale=tensor dtype=bfloat16",
        "int8_gemm m=32 n=32 k=32 dtype=int8", "adamw elements=64 dtype=float32",
        "sdpa batch=1 heads=2 q_len=4 kv_len=4 head_dim=8 dtype=float32",
        "conv2d n=1 c=3 h=8 w=8 k=4 r=3 s=3 dtype=float32 direction=backward",
        "batch_norm n=2 c=3 h=4 w=4 dtype=float32",
        "rnn cell=lstm input=4 hidden=4 steps=3 batch=2 dtype=float32",
        "quantize_int8 rows=4 cols=8 dtype=float32"));

TEST(LeastMemory, OfAProductHasItsResultInFloat64) {
  CpuDevice device;
  const Case subject = case_of("gemm m=8 n=16 k=4 dtype=float32");
  const LeastMemory least =
      catalogue_workload(subject, device, /*is_cuda=*/false, 1)->least_memory(0);
  EXPECT_EQ(least.inputs, 4 * (8 * 4 + 4 * 16));
  EXPECT_EQ(least.copies, 8 * (8 * 4 + 4 * 16));
  EXPECT_EQ(least.expected, 8 * 8 * 16);
}

/// Other ranks have memory of their own, and references of several ranks convert piece by piece.
TEST(LeastMemory, OfSeveralRanksIsThatOfRank0) {
  CpuDevice device;
  const auto least_of = [&](const std::string& text) {
    Case subject = case_of(text + " elements=64 ranks=4 dtype=float32");
    subject.backend = "nccl";
    return catalogue_workload(subject, device, /*is_cuda=*/true, 1)->least_memory(0);
  };
  const LeastMemory reduced = least_of("all_reduce");
  EXPECT_EQ(reduced.inputs, 4 * 64);
  EXPECT_EQ(reduced.copies, 0);
  EXPECT_EQ(reduced.expected, 8 * 64);
  const LeastMemory exchanged = least_of("all_to_all");
  EXPECT_EQ(exchanged.inputs, 4 * 64);
  EXPECT_EQ(exchanged.expected, 4 * 4 * 64) << "copies of every rank, in their own type";
}

TEST(LeastMemory, ResultsInTheMemoryOfInputsDoNotCount) {
  CpuDevice device;
  const Case subject = case_of("copy elements=64 dtype=float32");
  const LeastMemory least =
      catalogue_workload(subject, device, /*is_cuda=*/false, 1)->least_memory(0);
  EXPECT_EQ(least.copies, 8 * 64);
  EXPECT_EQ(least.expected, 0) << "the reference gives its input back";
}

TEST(LeastMemory, OfAHugeProductAllocatesNothing) {
  CpuDevice device;
  const Case subject = case_of("gemm m=1000000 n=1000000 k=1000000 dtype=float32");
  const LeastMemory least =
      catalogue_workload(subject, device, /*is_cuda=*/false, 1)->least_memory(1e12);
  EXPECT_EQ(least.inputs, 8e12);
  EXPECT_EQ(least.copies, 16e12);
}

TEST(LackOfRoom, NamesWhatIsNeededAndWhatThereIs) {
  const double gib = 1 << 30;
  const LeastMemory one{2 * gib, gib, 0, 4 * gib};
  EXPECT_EQ(lack_of_room(one, 1, true, 7 * gib), "") << "it fits exactly";
  EXPECT_EQ(lack_of_room(one, 1, true, 6 * gib),
            "needs at least 7516192768 bytes (7.0 GiB) of the device's memory: inputs 2147483648 "
            "bytes (2.0 GiB), results 1073741824 bytes (1.0 GiB), copies of inputs in float64 "
            "4294967296 bytes (4.0 GiB); there are 6442450944 bytes (6.0 GiB) for the tensors of "
            "a case");
  EXPECT_EQ(lack_of_room(one, 1, false, 3 * gib), "") << "an earlier worker kept the results";
  EXPECT_NE(lack_of_room(one, 2, false, 5 * gib), "") << "two instances";
}

}  // namespace
}  // namespace plumbline
