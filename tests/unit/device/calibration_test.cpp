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

}  // namespace
}  // namespace plumbline
