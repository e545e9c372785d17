#include "device/calibration.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(Calibration, AValueIsTheMedianOfItsReadingsUncertainByHalfTheirRange) {
  Calibration calibration;
  calibration.add("copy_bytes_per_s", {4.0, 1.0, 3.0});
  EXPECT_EQ(calibration.values.at("copy_bytes_per_s"), 3.0);
  EXPECT_EQ(calibration.values.at("copy_bytes_per_s_uncertainty"), 1.5);
  calibration.add("launch_s", {1.0, 2.0, 6.0, 4.0});
  EXPECT_EQ(calibration.values.at("launch_s"), 3.0);
  EXPECT_EQ(calibration.values.at("launch_s_uncertainty"), 2.5);
}

TEST(Calibration, WithoutAReadingAValueIsAbsent) {
  Calibration calibration;
  calibration.add("copy_bytes_per_s", {});
  EXPECT_TRUE(calibration.values.empty());
  EXPECT_TRUE(calibration.absent.contains("copy_bytes_per_s"));
}

constexpr std::size_t kGiB = std::size_t{1} << 30;
constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(CopySizes, TheLargestIsFourGibibytesWhereTwoOfThemAreHalfOfWhatIsFree) {
  EXPECT_EQ(copy_sizes(16 * kGiB, 50 * kMiB), (std::vector{kGiB, 4 * kGiB}));
  EXPECT_EQ(copy_sizes(100 * kGiB, 50 * kMiB), (std::vector{kGiB, 4 * kGiB}));
}

TEST(CopySizes, WithLessMemoryTwoOfTheLargestTakeHalfOfIt) {
  EXPECT_EQ(copy_sizes(10 * kGiB, 50 * kMiB), (std::vector{kGiB, 2560 * kMiB}));
  EXPECT_EQ(copy_sizes(10 * kGiB - 1, 50 * kMiB), (std::vector{kGiB, 2559 * kMiB}));
}

TEST(CopySizes, ThereIsOneSizeWhereNoLargerOneFits) {
  EXPECT_EQ(copy_sizes(4 * kGiB, 50 * kMiB), std::vector{kGiB});
  EXPECT_EQ(copy_sizes(0, 50 * kMiB), std::vector{kGiB});
}

TEST(CopySizes, AreLargeBesideTheCache) {
  EXPECT_EQ(copy_sizes(100 * kGiB, 128 * kMiB), (std::vector{2 * kGiB, 4 * kGiB}));
  EXPECT_EQ(copy_sizes(100 * kGiB, 512 * kMiB), std::vector{8 * kGiB});
}

TEST(FastestWay, IsThatOfTheHighestMedianAtAnySize) {
  std::vector<std::pair<std::size_t, std::size_t>> asked;
  const auto rates = [&](std::size_t way, std::size_t bytes) -> std::vector<double> {
    asked.emplace_back(way, bytes);
    if (bytes == 10) return {100 + double(way), 1, 900};  // the median counts
    return {way == 2 ? 200.0 : 50.0};
  };
  const FastestWay best = fastest_way(5, {10, 40}, rates);
  EXPECT_EQ(best.way, 2u);
  EXPECT_EQ(best.bytes, 40u);
  EXPECT_EQ(best.rate, 200);
  EXPECT_EQ(asked, (std::vector<std::pair<std::size_t, std::size_t>>{
                       {0, 10}, {1, 10}, {2, 10}, {3, 10}, {4, 10}, {4, 40}, {3, 40}, {2, 40}}));
}

TEST(FastestWay, IsAtTheFirstSizeWhereLargerOnesAreSlower) {
  const FastestWay best =
      fastest_way(2, {10, 40}, [](std::size_t way, std::size_t bytes) -> std::vector<double> {
        return {double(way + 1) / double(bytes)};
      });
  EXPECT_EQ(best.way, 1u);
  EXPECT_EQ(best.bytes, 10u);
}

TEST(FastestWay, HasNoRateWhereNothingWasRead) {
  const auto nothing = [](std::size_t, std::size_t) -> std::vector<double> { return {-1}; };
  EXPECT_EQ(fastest_way(2, {10, 40}, nothing).rate, 0);
  EXPECT_EQ(fastest_way(0, {10}, nothing).rate, 0);
}

}  // namespace
}  // namespace plumbline
