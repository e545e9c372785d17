#include "backends/libtorch/applied_settings.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

/// LibTorch's settings that a case may change.
std::vector<int> state() {
  const at::Context& context = at::globalContext();
  return {context.allowTF32CuBLAS(),
          context.allowTF32CuDNN(),
          int(context.allowFP16ReductionCuBLAS()),
          int(context.allowBF16ReductionCuBLAS()),
          int(at::globalContext().blasPreferredBackend()),
          context.benchmarkCuDNN(),
          context.deterministicAlgorithms(),
          context.deterministicCuDNN(),
          context.deterministicFillUninitializedMemory(),
          context.userEnabledMathSDP(),
          context.userEnabledFlashSDP(),
          context.userEnabledMemEfficientSDP(),
          context.userEnabledCuDNNSDP()};
}

class AppliedSettingsTest : public testing::Test {
 protected:
  void SetUp() override {  // sets them as the worker does
    at::globalContext().setAllowTF32CuBLAS(false);
    at::globalContext().setAllowTF32CuDNN(false);
    at::globalContext().setBenchmarkCuDNN(false);
  }
};

TEST_F(AppliedSettingsTest, EachIsInForceWhileItLivesAndPutBackAfter) {
  const std::vector<int> before = state();
  for (const LibrarySettings& settings :
       {LibrarySettings{.tf32 = true}, LibrarySettings{.reduced_reduction = false},
        LibrarySettings{.cudnn_benchmark = true}, LibrarySettings{.deterministic = true},
        LibrarySettings{.attention = "math"}, LibrarySettings{.attention = "cudnn"}}) {
    {
      const AppliedSettings applied(settings);
      EXPECT_NE(state(), before);
    }
    EXPECT_EQ(state(), before);
  }
}

TEST_F(AppliedSettingsTest, DefaultsChangeNothing) {
  const std::vector<int> before = state();
  const LibrarySettings defaults;
  const AppliedSettings applied(defaults);
  EXPECT_EQ(state(), before);
}

TEST_F(AppliedSettingsTest, OneKernelOfAttentionIsLeft) {
  const LibrarySettings settings{.attention = "efficient"};
  const AppliedSettings applied(settings);
  EXPECT_TRUE(at::globalContext().userEnabledMemEfficientSDP());
  EXPECT_FALSE(at::globalContext().userEnabledMathSDP());
  EXPECT_FALSE(at::globalContext().userEnabledFlashSDP());
  EXPECT_FALSE(at::globalContext().userEnabledCuDNNSDP());
}

}  // namespace
}  // namespace plumbline
