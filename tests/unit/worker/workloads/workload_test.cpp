/// Shared functions of the makers of workloads.
#include "worker/workloads/workload.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <new>

#include "worker/verify/visit_failure.h"

namespace plumbline {
namespace {

VisitFailure end_of(const std::function<Tensors()>& reference) {
  try {
    in_float64(reference);
  } catch (...) {
    return meaning_of(std::current_exception());
  }
  return {Status::ok, ""};
}

TEST(InFloat64, AReferenceWithoutMemorySaysThatItWasTheReferences) {
  const VisitFailure of_device =
      end_of([]() -> Tensors { TORCH_CHECK_WITH(OutOfMemoryError, false, "no room for 5 bytes"); });
  EXPECT_EQ(of_device.status, Status::out_of_memory);
  EXPECT_EQ(of_device.reason, "the float64 reference: no room for 5 bytes");
  const VisitFailure of_host = end_of([]() -> Tensors { throw std::bad_alloc(); });
  EXPECT_EQ(of_host.status, Status::out_of_memory);
  EXPECT_EQ(of_host.reason, "the float64 reference: the host has no memory left");
}

TEST(InFloat64, OtherErrorsAndResultsAreAsTheyWere) {
  const VisitFailure refused = end_of([]() -> Tensors { throw NoReference("planted"); });
  EXPECT_EQ(refused.reason, "planted");
  const at::Tensor value = at::zeros({1});
  EXPECT_TRUE(in_float64([&] { return Tensors{value}; }).front().is_same(value));
}

TEST(OtherSeed, IsAnotherForEverySeed) {
  EXPECT_NE(other_seed(1), 1);
  EXPECT_NE(other_seed(1), other_seed(2));
  EXPECT_GE(other_seed(1), 0);
}

}  // namespace
}  // namespace plumbline
