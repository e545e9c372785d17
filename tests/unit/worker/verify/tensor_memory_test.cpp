/// Owners of results' memory, near values, and results that nobody computed.
#include "worker/verify/tensor_memory.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_lazy_clone.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/argsort.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/sign.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "device/cpu/cpu_device.h"
#include "support/catalogue_case.h"
#include "worker/verify/result_kind.h"
#include "worker/verify/visit_failure.h"
#include "worker/workloads/workload.h"

namespace plumbline {
namespace {

/// Results in a box that a launch fills: the box has one handle, the reader another.
std::vector<MemorySpan> owned(const Tensors& box, const Tensors& inputs = {}) {
  const CpuDevice device;
  return own_memory(device, {box, 2}, inputs);
}

TEST(OwnMemory, IsWhatNobodyElseHolds) {
  Tensors box{at::zeros({8}), at::zeros({4})};
  EXPECT_EQ(owned(box).size(), 2u);
  const at::Tensor kept = box[0];
  ASSERT_EQ(owned(box).size(), 1u) << "the implementation keeps the other";
  EXPECT_EQ(owned(box)[0].data, box[1].data_ptr());
  box = {at::zeros({8})};
  const at::Tensor view = box[0].slice(0, 2, 4);
  EXPECT_TRUE(owned(box).empty()) << "a view of it is kept";
}

TEST(OwnMemory, OfWhatLibTorchsImplementationsLeftIsTheirs) {
  CpuDevice device;
  device.place(1);
  for (const char* text :
       {"relu elements=1000 dtype=float32", "softmax rows=4 cols=8 dtype=float32",
        "relu elements=1000 dtype=float32 direction=backward"}) {
    const Case subject = case_of(text);
    const auto workload = make_workload(subject, device, false, 1);
    workload->make_inputs();
    const Prepared prepared = workload->prepare();
    prepared.launch();
    EXPECT_EQ(own_memory(device, {prepared.results(), prepared.result_handles}, workload->inputs())
                  .size(),
              1u)
        << text;
  }
}

TEST(OwnMemory, OfAPieceOfATensorThatIsKeptIsNobodysToOverwrite) {
  const at::Tensor kept = at::zeros({8});
  EXPECT_TRUE(owned({kept.slice(0, 0, 4)}).empty());
}

TEST(OwnMemory, OfResultsThatShareAStorageOrAreOneTensorIsTakenOnce) {
  const auto halves = [] {
    const at::Tensor both = at::zeros({8});
    return Tensors{both.slice(0, 0, 4), both.slice(0, 4, 8)};
  };
  const Tensors box = halves();
  ASSERT_EQ(owned(box).size(), 1u);
  EXPECT_EQ(owned(box)[0].bytes, 32u);
  const at::Tensor one = at::zeros({8});
  EXPECT_TRUE(owned({one}, {one}).empty()) << "an input's";
}

TEST(NearValues, KeepOrderAndSignsAndAreNoMultiple) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const at::Tensor real = at::randn({1000}), before = real.clone(),
                     whole = at::randint(-50, 50, {1000}), whole_before = whole.clone();
    NearValues values({real, whole}, seed, true);
    EXPECT_TRUE(at::equal(real, before)) << "nobody sees them yet";
    const auto version = real._version();
    values.put(true);
    EXPECT_GT(real._version(), version);
    const at::Tensor order = before.abs().argsort(), after = real.abs().index({order});
    EXPECT_TRUE((after.slice(0, 1) >= after.slice(0, 0, 999)).all().item<bool>());
    EXPECT_TRUE(at::equal(at::sign(real), at::sign(before)));
    const auto changed = (real != before).sum().item<std::int64_t>();
    EXPECT_GE(changed, 100);
    EXPECT_LE((whole - whole_before).abs().max().item<std::int64_t>(), 1);
    EXPECT_TRUE(((whole >= 0) == (whole_before >= 0)).all().item<bool>());
  }
}

TEST(NearValues, ThatAreTheSameTellNobody) {
  const at::Tensor real = at::randn({1000}), before = real.clone();
  const auto version = real._version();
  NearValues({real}, 3, false).put(true);
  EXPECT_TRUE(at::equal(real, before));
  EXPECT_EQ(real._version(), version);
}

TEST(NearValues, OfMostlyZerosChangeNumbersThatAreNotZero) {
  const at::Tensor sparse = at::zeros({1000});
  for (int i = 0; i < 10; ++i) sparse[100 * i + 50] = i + 1;
  const at::Tensor before = sparse.clone();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    sparse.copy_(before);
    NearValues({sparse}, seed, true).put(true);
    EXPECT_FALSE(at::equal(sparse, before)) << seed;
    EXPECT_TRUE(at::equal(sparse == 0, before == 0)) << seed;
  }
}

TEST(NearValues, OfAnExpandedTensorArePutOnce) {
  const at::Tensor one = at::full({3, 1}, 2.0), expanded = one.expand({3, 4});
  NearValues({expanded}, 1, true).put(true);
  EXPECT_TRUE(at::equal(one, at::full({3, 1}, 2.0 * (1 - 1.0 / 64))));
}

std::string refused(const Tensors& results, const Tensors& inputs, bool may_return_inputs = false) {
  try {
    require_written(results, inputs, may_return_inputs);
  } catch (const VisitFailure& failure) {
    return failure.reason;
  } catch (const Unsupported& reason) {
    return reason.what();
  }
  return "";
}

TEST(RequireWritten, RefusesWhatNothingWasComputedFor) {
  const at::Tensor x = at::randn({4, 4});
  EXPECT_EQ(refused({x * 2}, {x}), "");
  EXPECT_NE(refused({x.t()}, {x}).find("lies in the memory of an input"), std::string::npos);
  EXPECT_EQ(refused({x.t()}, {x}, true), "");
  EXPECT_NE(refused({at::_lazy_clone(x)}, {}).find("a lazy copy (copy on write)"),
            std::string::npos);
  EXPECT_NE(refused({x.to_sparse()}, {}).find("Sparse"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
