#include "backends/kernel/limits.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

// An H200's limits, with a kernel of 96 registers and 1 KiB of static shared memory.
const LaunchLimits kLimits{.grid = {2147483647, 65535, 65535},
                           .block = {1024, 1024, 64},
                           .device_threads = 1024,
                           .kernel_threads = 640,
                           .shared_bytes = 232448,
                           .static_shared_bytes = 1024,
                           .registers = 96,
                           .cluster_blocks = 16,
                           .blocks_at_once = 264};

LaunchShape clustered(std::array<std::int64_t, 3> grid, std::array<std::int64_t, 3> cluster) {
  LaunchShape shape;
  shape.grid = grid;
  shape.cluster = cluster;
  return shape;
}

TEST(LaunchLimits, WhatTheDeviceTakesIsNotRefused) {
  EXPECT_EQ(beyond_limits({{2147483647, 65535, 65535}, {640, 1, 1}, 231424}, kLimits), "");
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {1, 10, 64}, 0}, kLimits), "");
}

TEST(LaunchLimits, EachIsToldWithWhatWasAskedAndWhatThereIs) {
  EXPECT_EQ(beyond_limits({{1, 65536, 1}, {1, 1, 1}, 0}, kLimits),
            "the grid is 65536 in y, this device takes 65535");
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {1, 1, 65}, 0}, kLimits),
            "the block is 65 in z, this device takes 64");
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {1024, 2, 1}, 0}, kLimits),
            "the block has 2048 threads, this device takes 1024");
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {1024, 1, 1}, 0}, kLimits),
            "the block has 1024 threads, this kernel takes 640: it has 96 registers a thread, or "
            "bounds of its own");
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {32, 1, 1}, 231425}, kLimits),
            "the block has 232449 bytes of shared memory (1024 static), this device takes 232448");
}

TEST(LaunchLimits, AGridConsistsOfWholeClusters) {
  EXPECT_EQ(beyond_limits(clustered({8, 6, 1}, {4, 2, 1}), kLimits), "");
  EXPECT_EQ(beyond_limits(clustered({8, 7, 1}, {4, 2, 1}), kLimits),
            "the grid is 7 in y, which is no multiple of the cluster's 2");
  EXPECT_EQ(beyond_limits(clustered({64, 1, 1}, {32, 1, 1}), kLimits),
            "the cluster has 32 blocks, this device takes 16");
  LaunchLimits older = kLimits;
  older.cluster_blocks = 0;
  EXPECT_EQ(beyond_limits(clustered({8, 1, 1}, {2, 1, 1}), older),
            "the cluster has 2 blocks, this device takes 0");
  EXPECT_EQ(beyond_limits(clustered({7, 1, 1}, {1, 1, 1}), older), "");
}

TEST(LaunchLimits, ACooperativeLaunchRunsAllBlocksAtOnce) {
  LaunchShape shape = clustered({264, 1, 1}, {1, 1, 1});
  shape.is_cooperative = true;
  EXPECT_EQ(beyond_limits(shape, kLimits), "");
  shape.grid[0] = 265;
  EXPECT_EQ(
      beyond_limits(shape, kLimits),
      "the grid has 265 blocks, of which a cooperative launch runs all at the same time; this "
      "device takes 264 of this kernel's");
  shape.is_cooperative = false;
  EXPECT_EQ(beyond_limits(shape, kLimits), "");
}

TEST(LaunchLimits, SomeLaunchesAreImpossibleWhereverTheyAreTried) {
  EXPECT_EQ(beyond_limits({{1, 1, 1}, {1024, 2, 1}, 0}, kAnyGpu),
            "the block has 2048 threads, no GPU takes more than 1024");
  EXPECT_EQ(beyond_limits({{1, 1000000, 1}, {1, 1, 1}, 0}, kAnyGpu),
            "the grid is 1000000 in y, no GPU takes more than 65535");
  EXPECT_EQ(
      beyond_limits({{1, 1, 1}, {1, 1, 1}, 10000000}, kAnyGpu),
      "the block has 10000000 bytes of shared memory (0 static), no GPU takes more than 232448");
  EXPECT_EQ(beyond_limits({{2147483647, 65535, 65535}, {16, 1, 64}, 232448}, kAnyGpu), "");
}

}  // namespace
}  // namespace plumbline
