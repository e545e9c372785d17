#include "device/cuda/event_floor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/cuda/context_draw.h"
#include "device/cuda/kernels_of_launch.h"

namespace plumbline::cuda {
namespace {

TEST(EventFloor, IsTheMiddleOfWhatTheKernelsShow) {
  const EventFloor floor = event_floor(
      {{"empty", 3.4e-6, 0.5e-6}, {"spin", 13.2e-6, 10.6e-6}, {"write", 19.0e-6, 15.9e-6}});
  EXPECT_NEAR(floor.floor.seconds, 2.85e-6, 1e-12);
  EXPECT_NEAR(floor.floor.uncertainty_s, 0.25e-6, 1e-12);
}

TEST(EventFloor, WithoutATraceIsTheEmptyKernelsReadingAndLessCertain) {
  const EventFloor floor = event_floor({{"empty", 3.4e-6}, {"spin", 13.2e-6}});
  EXPECT_EQ(floor.floor.seconds, 3.4e-6);
  EXPECT_EQ(floor.floor.uncertainty_s, kUntracedUncertainty_s);
}

TEST(LatestReadings, ForgetWhatAProcessReadLongAgoAndTellWhatItDriftedByLately) {
  LatestReadings readings;
  EXPECT_TRUE(std::isnan(readings.midmean_s()));
  readings.add(std::vector<double>(LatestReadings::kKept, 3e-6));
  readings.add({9e-6, 9e-6});  // outliers
  EXPECT_NEAR(readings.midmean_s(), 3e-6, 1e-15);
  EXPECT_NEAR(readings.drift_s(), 0, 1e-15);
  readings.add(std::vector<double>(LatestReadings::kDrift, 3.4e-6));
  EXPECT_NEAR(readings.drift_s(), 0.4e-6 - (readings.midmean_s() - 3e-6), 1e-15);
  EXPECT_LT(readings.midmean_s(), 3.1e-6);
  for (std::size_t i = 0; i < LatestReadings::kKept; ++i)
    readings.add({i % 2 == 0 ? 4e-6 : 4.2e-6});
  EXPECT_NEAR(readings.midmean_s(), 4.1e-6, 1e-12);
  EXPECT_NEAR(readings.drift_s(), 0, 1e-12);
}

TEST(ContextDraw, GoesOnUntilTheLastIsOfTheFastestKind) {
  EXPECT_FALSE(is_good_draw({28.3e-6}, kUnknown));
  EXPECT_FALSE(is_good_draw({28.3e-6, 29.5e-6, 29.6e-6, 28.3e-6, 29.5e-6}, kUnknown));
  EXPECT_FALSE(is_good_draw({28.3e-6, 29.5e-6, 29.6e-6, 28.3e-6, 29.5e-6, 28.9e-6}, kUnknown));
  EXPECT_TRUE(is_good_draw({28.3e-6, 29.5e-6, 29.6e-6, 29.3e-6, 29.5e-6, 28.4e-6}, kUnknown));
  EXPECT_TRUE(is_good_draw(std::vector<double>(kDrawsMax - 1, 28e-6), kUnknown));
  std::vector<double> slow(kDrawsMax - 1, 28e-6);
  slow.push_back(30e-6);
  EXPECT_TRUE(is_good_draw(slow, kUnknown)) << "the last that there will be";
}

TEST(ContextDraw, OneAsFastAsAnotherProcessHadIsGoodAtOnce) {
  EXPECT_TRUE(is_good_draw({28.4e-6}, 28.3e-6));
  EXPECT_FALSE(is_good_draw({28.6e-6}, 28.3e-6));
  EXPECT_FALSE(is_good_draw({28.3e-6, 29.5e-6}, 28.3e-6)) << "the last one is what is kept";
  EXPECT_TRUE(is_good_draw(std::vector<double>(kDrawsMin, 29.5e-6), 28.3e-6))
      << "there may be none of that kind any more";
}

Activity kernel(std::uint64_t start_ns, std::uint64_t end_ns, const std::string& name = "k") {
  Activity activity;
  activity.name = name;
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.is_kernel = true;
  activity.grid = activity.block = {1, 1, 1};
  return activity;
}

TEST(KernelsOfLaunch, SumAndSpanAreOfOneLaunch) {
  CuptiTracer::Recording recording;
  recording.launches = {{kernel(1000, 3000), kernel(2500, 6000)}, {kernel(9000, 9500)}};
  std::vector<double> sums_s;
  std::vector<double> spans_s;
  std::string kernels;
  EXPECT_EQ(add_launches(recording, 2, 1, sums_s, spans_s, kernels), "");
  EXPECT_NEAR(sums_s[0], 5.5e-6, 1e-15);
  EXPECT_NEAR(spans_s[0], 5e-6, 1e-15);
  EXPECT_NEAR(sums_s[1], 0.5e-6, 1e-15);
}

TEST(KernelsOfLaunch, ABatchIsDividedByItsLaunches) {
  CuptiTracer::Recording recording;
  recording.launches = {{kernel(0, 1000), kernel(3000, 4000)}};
  std::vector<double> sums_s;
  std::vector<double> spans_s;
  std::string kernels;
  EXPECT_EQ(add_launches(recording, 1, 2, sums_s, spans_s, kernels), "");
  EXPECT_NEAR(sums_s[0], 1e-6, 1e-15);
  EXPECT_NEAR(spans_s[0], 2e-6, 1e-15);
  EXPECT_NE(kernels.find("\"calls\":1,"), std::string::npos) << kernels;
}

TEST(KernelsOfLaunch, WhatIsMissingIsSaid) {
  std::vector<double> sums_s;
  std::vector<double> spans_s;
  std::string kernels;
  CuptiTracer::Recording recording;
  recording.launches = {{kernel(0, 1)}};
  EXPECT_EQ(add_launches(recording, 2, 1, sums_s, spans_s, kernels),
            "CUPTI recorded 1 launches of 2");
  recording.launches.emplace_back();
  EXPECT_EQ(add_launches(recording, 2, 1, sums_s, spans_s, kernels),
            "CUPTI saw no kernel, copy or fill in a launch");
  recording.failure = "CUPTI lost 3 records";
  EXPECT_EQ(add_launches(recording, 2, 1, sums_s, spans_s, kernels), "CUPTI lost 3 records");
}

TEST(KernelsOfLaunch, NamesLoseReturnTypeAndParametersButNotTemplateArguments) {
  const std::string text = describe_activities(
      {kernel(0, 1000, "void at::f<4, g(int)>(int, h(*)(int))"), kernel(1000, 2000, "sgemm_128")},
      1);
  EXPECT_NE(text.find("\"at::f<4, g(int)>\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"sgemm_128\""), std::string::npos) << text;
}

TEST(KernelsOfLaunch, WhatRanInAGraphIsToldNodeByNode) {
  Activities launch{kernel(0, 1000), kernel(2000, 4000), kernel(4000, 5000)};
  launch[0].graph_node = 77;  // CUPTI's own numbers
  launch[1].graph_node = 12;
  launch[2].graph_node = 77;
  const std::string text = describe_activities(launch, 1);
  EXPECT_NE(text.find("\"graph_node\":1,\"calls\":2,"), std::string::npos) << text;
  EXPECT_NE(text.find("\"graph_node\":2,\"calls\":1,"), std::string::npos) << text;
  EXPECT_EQ(describe_activities({kernel(0, 1000)}, 1).find("graph_node"), std::string::npos);
}

TEST(KernelsOfLaunch, EqualOnesAreCounted) {
  const std::string text = describe_activities({kernel(0, 1000), kernel(2000, 4000)}, 1);
  EXPECT_NE(text.find("\"calls\":2,\"time_s\":3e-06"), std::string::npos) << text;
}

}  // namespace
}  // namespace plumbline::cuda
