#include "measure/overlap.h"

#include <gtest/gtest.h>

#include <cmath>

namespace plumbline {
namespace {

constexpr double kNs = 1e-9;

TEST(Overlap, WorkInTurnHasAFactorOfOneWhateverTheGaps) {
  const BusyTimes times = overlap_of({{1, 0, 100}, {2, 150, 250}, {1, 400, 500}});
  EXPECT_DOUBLE_EQ(times.sum_s, 300 * kNs);
  EXPECT_DOUBLE_EQ(times.union_s, 300 * kNs);
  EXPECT_DOUBLE_EQ(times.span_s, 500 * kNs);
  EXPECT_DOUBLE_EQ(times.factor(), 1);
}

TEST(Overlap, FourStreamsBusyAtOnceHaveAFactorOfFour) {
  const BusyTimes times = overlap_of({{4, 10, 110}, {3, 10, 110}, {2, 10, 110}, {1, 10, 110}});
  EXPECT_DOUBLE_EQ(times.factor(), 4);
  EXPECT_DOUBLE_EQ(times.span_s, 100 * kNs);
}

TEST(Overlap, PartsOfIntervalsThatOverlapCountOnceInTheUnion) {
  const BusyTimes times = overlap_of({{1, 0, 100}, {2, 60, 160}, {3, 70, 90}});
  EXPECT_DOUBLE_EQ(times.union_s, 160 * kNs);
  EXPECT_DOUBLE_EQ(times.sum_s, 220 * kNs);
  EXPECT_DOUBLE_EQ(times.factor(), 1.375);
}

TEST(Overlap, AStreamThatOverlapsItselfIsNoTwoStreams) {
  const BusyTimes times = overlap_of({{7, 0, 100}, {7, 90, 200}});
  EXPECT_DOUBLE_EQ(times.sum_s, 200 * kNs);
  EXPECT_DOUBLE_EQ(times.factor(), 1);
}

TEST(Overlap, NothingHasNoFactor) { EXPECT_TRUE(std::isnan(overlap_of({}).factor())); }

}  // namespace
}  // namespace plumbline
