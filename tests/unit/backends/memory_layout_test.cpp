/// Tensors whose elements have distinct addresses, and tensors larger than any memory.
#include "backends/cudnn/graph/memory_layout.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

namespace plumbline::cudnn {
namespace {

std::vector<Extent> extents(const std::vector<int>& dims, const std::vector<int>& strides) {
  std::vector<Extent> all;
  for (std::size_t i = 0; i < dims.size(); ++i) all.push_back({dims[i], strides[i]});
  return all;
}

/// The same by trying all indices.
bool meets_by_trying(const std::vector<int>& dims, const std::vector<int>& strides) {
  std::set<int> addresses{0};
  std::size_t elements = 1;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    std::set<int> more;
    for (const int address : addresses)
      for (int k = 0; k < dims[i]; ++k) more.insert(address + k * strides[i]);
    addresses = std::move(more);
    elements *= std::size_t(dims[i]);
  }
  return addresses.size() < elements;
}

TEST(MemoryLayout, HasAnAddressTwiceWhereTwoElementsMeetAndNowhereElse) {
  std::mt19937 random(1);
  std::array<int, 2> found{};
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<int> dims(1 + random() % 5), strides(dims.size());
    for (int& size : dims) size = 1 + int(random() % 5);
    for (int& stride : strides) stride = 1 + int(random() % 60);
    const bool is_wrong = meets_by_trying(dims, strides);
    ++found.at(is_wrong ? 1 : 0);
    ASSERT_EQ(has_an_address_twice(extents(dims, strides)), is_wrong)
        << testing::PrintToString(dims) << " " << testing::PrintToString(strides);
  }
  EXPECT_GT(found[0], 2000);
  EXPECT_GT(found[1], 2000);
}

TEST(MemoryLayout, OfManyDimensionsIsTriedInNoTime) {
  const std::vector<int> dims(30, 2);
  std::vector<int> strides;  // the addresses are the numbers in binary
  for (int i = 0; i < 30; ++i) strides.push_back(1 << i);
  EXPECT_FALSE(has_an_address_twice(extents(dims, strides)));
  strides[0] = 2;
  EXPECT_TRUE(has_an_address_twice(extents(dims, strides)));
}

TEST(MemoryLayout, IsBeyondMemoryFrom2To48ElementsOn) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  EXPECT_FALSE(is_beyond_memory({{1, kHuge}, {4, 8}, {8, 1}}));
  EXPECT_TRUE(is_beyond_memory({{2, kHuge}, {4, 8}, {8, 1}}));
  EXPECT_TRUE(is_beyond_memory({{kHuge, 1}}));
  EXPECT_TRUE(is_beyond_memory({{kHuge, 0}})) << "as many elements at one address";
  EXPECT_TRUE(has_an_address_twice({{4, 0}}));
  EXPECT_FALSE(has_an_address_twice({{1, 0}, {4, 1}}));
}

}  // namespace
}  // namespace plumbline::cudnn
