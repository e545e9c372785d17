#include "store/recorded/kernels.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

TEST(Kernels, AreReadFromTheirJson) {
  const auto kernels = kernels_of(
      R"([{"name": "gemm<float, 128>", "grid": [64, 2, 1], "block": [256, 1, 1], "registers": 128,
           "shared_static": 1024, "shared_dynamic": 65536, "occupancy": 0.25, "calls": 2,
           "time_s": 1.5e-5},
          {"name": "memcpy HtoD", "bytes": 4096, "calls": 1, "time_s": 2e-6}])");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "gemm<float, 128>");
  EXPECT_EQ(kernels[0].grid, (std::array<std::int64_t, 3>{64, 2, 1}));
  EXPECT_EQ(kernels[0].block, (std::array<std::int64_t, 3>{256, 1, 1}));
  EXPECT_EQ(kernels[0].registers, 128);
  EXPECT_EQ(kernels[0].shared_static, 1024);
  EXPECT_EQ(kernels[0].shared_dynamic, 65536);
  EXPECT_EQ(kernels[0].occupancy, 0.25);
  EXPECT_EQ(kernels[0].calls, 2);
  EXPECT_EQ(kernels[0].time_s, 1.5e-5);
  EXPECT_TRUE(std::isnan(kernels[0].bytes));
  EXPECT_EQ(kernels[1].bytes, 4096);
  EXPECT_EQ(kernels[1].grid, (std::array<std::int64_t, 3>{}));
  EXPECT_TRUE(std::isnan(kernels[1].registers));
  EXPECT_TRUE(kernels_of("").empty());
}

TEST(Kernels, ATextThatIsNoSuchJsonIsAName) {
  for (const char* text : {"gemm_kernel<float, 128>", "[1, 2]", "[{", "{}"}) {
    const auto kernels = kernels_of(text);
    ASSERT_EQ(kernels.size(), 1u) << text;
    EXPECT_EQ(kernels[0].name, text);
  }
}

TEST(Kernels, WhatHasAnotherTypeIsUnknown) {
  const auto kernels =
      kernels_of(R"([{"name": 7, "grid": ["a"], "registers": "many", "later": true}])");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "");
  EXPECT_TRUE(std::isnan(kernels[0].registers));
}

}  // namespace
}  // namespace plumbline
