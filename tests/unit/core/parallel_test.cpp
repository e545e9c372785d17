#include "core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace plumbline {
namespace {

TEST(Parallel, EachIndexIsVisitedOnce) {
  for (const std::size_t count : {0, 1, 2, 3, 7, 1000}) {
    std::vector<std::atomic<int>> visits(count);
    for_each_index(count, [&](std::size_t i) { ++visits[i]; });
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(visits[i], 1) << i << " of " << count;
  }
}

TEST(Parallel, SharesAreInOrderAndNoneIsEmpty) {
  std::vector<std::atomic<std::size_t>> end_of(101);
  for_each_share(100, [&](std::size_t begin, std::size_t end) {
    EXPECT_LT(begin, end);
    end_of[begin] = end;
  });
  for (std::size_t at = 0; at < 100; at = end_of[at])
    ASSERT_GT(end_of[at], at) << "no share begins at " << at;
}

TEST(Parallel, AnExceptionOfAnyIndexReachesTheCaller) {
  for (const std::size_t bad : {0, 499, 999})
    EXPECT_THROW(for_each_index(1000,
                                [&](std::size_t i) {
                                  if (i == bad) throw std::runtime_error("bad");
                                }),
                 std::runtime_error);
}

}  // namespace
}  // namespace plumbline
