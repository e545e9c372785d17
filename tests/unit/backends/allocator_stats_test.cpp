#include "backends/libtorch/allocator_stats.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

using Segment = c10::CachingDeviceAllocator::SegmentInfo;

/// Sizes of adjacent blocks: free ones are negative.
Segment segment(const std::vector<long>& sizes) {
  Segment segment;
  for (const long size : sizes) {
    auto& block = segment.blocks.emplace_back();
    block.size = std::size_t(std::abs(size));
    block.active = block.allocated = size > 0;
  }
  return segment;
}

double fragmentation(const std::vector<Segment>& segments) { return fragmentation_of(segments); }

TEST(AllocatorStats, FreeMemoryInOnePieceIsNotFragmented) {
  EXPECT_EQ(fragmentation({}), 0);
  EXPECT_EQ(fragmentation({segment({512, 1024})}), 0);
  EXPECT_EQ(fragmentation({segment({512, -1024, 512})}), 0);
}

TEST(AllocatorStats, FragmentationIsTheShareOfFreeMemoryOutsideTheLargestPiece) {
  EXPECT_DOUBLE_EQ(fragmentation({segment({-100, 50, -300})}), 0.25);
  EXPECT_DOUBLE_EQ(fragmentation({segment({-100, 50}), segment({-300})}), 0.25);
}

TEST(AllocatorStats, FreeBlocksSideBySideAreOnePieceButNotAcrossSegments) {
  EXPECT_EQ(fragmentation({segment({50, -100, -300})}), 0);
  EXPECT_DOUBLE_EQ(fragmentation({segment({50, -300}), segment({-100, 50})}), 0.25);
}

TEST(AllocatorStats, MemoryOfGraphsIsNotTheCases) {
  Segment of_a_graph = segment({-1000});
  of_a_graph.owner_private_pool_id = {0, 7};
  EXPECT_EQ(fragmentation({segment({50, -300}), of_a_graph}), 0);
}

}  // namespace
}  // namespace plumbline
