#include "worker/verify/repeatability.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linspace.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/run/run.h"

namespace plumbline {
namespace {

TEST(Repeatability, TheLastBitCounts) {
  const at::Tensor first = at::linspace(-1, 1, 1000, at::kFloat);
  EXPECT_TRUE(have_same_bits({first}, {first.clone()}));
  at::Tensor second = first.clone();
  second[999] = std::nextafter(1.0F, 2.0F);
  EXPECT_FALSE(have_same_bits({first}, {second}));
}

TEST(Repeatability, BitsNotValuesAreCompared) {
  const at::Tensor nan = at::full({4}, std::numeric_limits<double>::quiet_NaN(), at::kHalf);
  EXPECT_TRUE(have_same_bits({nan}, {nan.clone()}));
  const at::Tensor zero = at::full({4}, 0.0, at::kBFloat16);
  EXPECT_FALSE(have_same_bits({zero}, {-zero}));
}

TEST(Repeatability, ShapesTypesAndNumbersOfResultsCount) {
  const at::Tensor a = at::full({2, 3}, 1, at::kInt);
  EXPECT_FALSE(have_same_bits({a}, {a.reshape({3, 2})}));
  EXPECT_FALSE(have_same_bits({a}, {a.to(at::kLong)}));
  EXPECT_FALSE(have_same_bits({a}, {a, a}));
}

TEST(Repeatability, StridesAndScalarsAreNoObstacle) {
  const at::Tensor a = at::linspace(0, 1, 24, at::kDouble).reshape({4, 6});
  EXPECT_TRUE(have_same_bits({a.t()}, {a.t().contiguous()}));
  EXPECT_TRUE(have_same_bits({a[1][2]}, {a[1][2].clone()}));
  const at::Tensor complex = at::full({3}, 1, at::kComplexDouble);
  EXPECT_TRUE(have_same_bits({complex}, {complex.clone()}));
  EXPECT_FALSE(have_same_bits({complex}, {complex * 2}));
}

TEST(Repeatability, NobodyHoldsTheResultsWhileALaunchMakesThemAgain) {
  at::Tensor result = at::full({10}, 1, at::kFloat);
  const c10::weak_intrusive_ptr<at::TensorImpl> first(result.getIntrusivePtr());
  Tensors results{std::move(result)};
  int held = 0;
  const auto again = [&] {
    held += first.use_count() > 0;
    return Tensors{at::full({10}, 1, at::kFloat)};
  };
  EXPECT_EQ(repeatability(std::move(results), again), kRepeatsBitwise);
  EXPECT_EQ(held, 0) << "the launch had to allocate elsewhere";
}

TEST(Repeatability, OneLaunchOfSeveralThatDiffersIsSeen) {
  // The launch overwrites its result, like custom kernels.
  at::Tensor result = at::full({10}, 1, at::kFloat);
  int launches = 0;
  const auto constant = [&] {
    ++launches;
    return Tensors{result.fill_(1)};
  };
  EXPECT_EQ(repeatability({result}, constant), kRepeatsBitwise);
  EXPECT_EQ(launches, kRepeats);
  launches = 0;
  const auto varying = [&] {
    ++launches;
    return Tensors{result.fill_(launches == kRepeats ? 1 + 0x1p-23 : 1.0)};
  };
  EXPECT_EQ(repeatability({result}, varying), kRepeatsVaries);
}

}  // namespace
}  // namespace plumbline
