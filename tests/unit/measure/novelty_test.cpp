/// When launches count as faster on data that they have seen, also on a processor that others use.
#include "measure/novelty.h"

#include <gtest/gtest.h>

#include <vector>

namespace plumbline {
namespace {

constexpr std::size_t kTurns = 16, kMost = 15;
constexpr double kRatio = 1.5;

bool is_found(const LaunchTime& on_new, const LaunchTime& on_seen) {
  return looks_slower_on_new(std::vector<LaunchTime>(kTurns, on_new),
                             std::vector<LaunchTime>(kTurns, on_seen), kMost, kRatio);
}

TEST(Novelty, AResultThatIsKeptIsFound) {
  EXPECT_TRUE(is_found({183e-6, 183e-6}, {9e-6, 9e-6}));
  EXPECT_TRUE(is_found({900e-6, 183e-6}, {9e-6, 9e-6})) << "launches on new data are interrupted";
}

TEST(Novelty, EqualWorkIsNotFoundWhicheverLaunchesAreInterrupted) {
  EXPECT_FALSE(is_found({183e-6, 183e-6}, {183e-6, 183e-6}));
  EXPECT_FALSE(is_found({900e-6, 183e-6}, {183e-6, 183e-6}));
  EXPECT_FALSE(is_found({183e-6, 183e-6}, {900e-6, 183e-6}));
}

TEST(Novelty, AWaitUntilAMomentOfTheClockIsNotFoundWhereOneKindIsInterrupted) {
  EXPECT_FALSE(is_found({2425e-6, 2425e-6}, {2430e-6, 1101e-6}));
  EXPECT_FALSE(is_found({2430e-6, 1101e-6}, {2425e-6, 2425e-6}));
}

TEST(Novelty, FewTurnsOrLessThanAMicrosecondAreNotFound) {
  std::vector<LaunchTime> on_new(kTurns, {183e-6, 183e-6});
  const std::vector<LaunchTime> on_seen(kTurns, {9e-6, 9e-6});
  on_new[3] = on_new[4] = {8e-6, 8e-6};
  EXPECT_FALSE(looks_slower_on_new(on_new, on_seen, kMost, kRatio));
  EXPECT_TRUE(looks_slower_on_new(on_new, on_seen, kMost - 1, kRatio));
  EXPECT_FALSE(is_found({1.5e-6, 1.5e-6}, {0.6e-6, 0.6e-6}));
}

}  // namespace
}  // namespace plumbline
