#include "measure/doubts.h"

#include <gtest/gtest.h>

#include <limits>

#include "measure/flags.h"

namespace plumbline {
namespace {

using Flags = std::vector<std::string>;

/// A measurement with one sample per block, and a block every millisecond.
MeasuredMetric measured(const std::vector<double>& values_s) {
  MeasuredMetric m;
  m.metric = "gpu_time_cold";
  for (std::size_t i = 0; i < values_s.size(); ++i) {
    m.samples.add_block(std::vector<double>{values_s[i]});
    m.block_times_s.push_back(1e-3 * double(i));
    m.block_clocks_hz.push_back(1.9e9);
    m.block_causes.emplace_back();
  }
  return m;
}

Flags doubts(const MeasuredMetric& m, const TimerFloor& floor = {}) {
  return doubts_about(m, floor);
}

std::vector<double> quiet() {
  return {1.000e-4, 1.003e-4, 0.998e-4, 1.001e-4, 0.999e-4, 1.002e-4, 1.0005e-4, 0.9985e-4};
}

TEST(Doubts, QuietBlocksRaiseNone) { EXPECT_EQ(doubts(measured(quiet())), Flags{}); }

TEST(Doubts, TwoGroupsOfBlocksAreBimodal) {
  auto values = quiet();
  for (const std::size_t i : {1u, 4u, 6u}) values[i] *= 1.1;
  EXPECT_EQ(doubts(measured(values)), Flags{kFlagBimodal});
}

TEST(Doubts, OneOutlierIsNoMode) {
  auto values = quiet();
  values[3] *= 1.3;
  EXPECT_EQ(doubts(measured(values)), Flags{});
}

TEST(Doubts, AModeOfHalfAPercentIsNotWorthNaming) {
  auto values = quiet();
  for (const std::size_t i : {1u, 4u, 6u}) values[i] *= 1.012;
  EXPECT_EQ(doubts(measured(values)), Flags{});
}

TEST(Doubts, BlocksThatGetSlowerHaveATrend) {
  auto values = quiet();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= 1 + 0.006 * double(i);
  EXPECT_EQ(doubts(measured(values)), Flags{kFlagTrend});
}

TEST(Doubts, ATimeBelowTheFloorIsNamed) {
  auto values = quiet();
  values[0] = -1e-7;
  EXPECT_EQ(doubts(measured(values)), Flags{kFlagBelowTimer});
}

TEST(Doubts, WhatIsNotFiniteIsSaidAlone) {
  auto values = quiet();
  values[0] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(doubts(measured(values)), Flags{kFlagNotFinite});
}

TEST(Doubts, AFewValuesFarApartAreTheTimersGrid) {
  MeasuredMetric m = measured({});
  for (int block = 0; block < 8; ++block) {
    std::vector<double> samples;
    for (int i = 0; i < 10; ++i) samples.push_back((i + block) % 3 == 0 ? 7.168e-6 : 6.144e-6);
    m.samples.add_block(samples);
  }
  EXPECT_EQ(doubts(m), Flags{kFlagTimerGrid});
}

TEST(Doubts, AFineGridDoesNotMatter) {
  MeasuredMetric m = measured({});
  for (int block = 0; block < 8; ++block) {
    std::vector<double> samples;
    for (int i = 0; i < 10; ++i) samples.push_back((i + block) % 3 == 0 ? 7.032e-6 : 7.000e-6);
    m.samples.add_block(samples);
  }
  EXPECT_EQ(doubts(m), Flags{});
}

TEST(Doubts, ClocksFivePercentApartAreUnstable) {
  MeasuredMetric m = measured(quiet());
  m.block_clocks_hz[2] = 1.79e9;
  EXPECT_EQ(doubts(m), Flags{kFlagUnstableClock});
  m.block_clocks_hz[2] = 1.82e9;
  EXPECT_EQ(doubts(m), Flags{});
}

TEST(Doubts, TimersDisagreeBeyondTheirErrors) {
  MeasuredMetric m = measured(quiet());
  m.timers_s = {{"event_untraced", 10.9e-6}, {"span", 10.0e-6}};
  EXPECT_EQ(doubts(m, {2.8e-6, 0.3e-6}), Flags{kFlagTimersDisagree});
  m.timers_s["event_untraced"] = 10.7e-6;  // 0.5 us and 0.3 us of the floor
  EXPECT_EQ(doubts(m, {2.8e-6, 0.3e-6}), Flags{});
  m.timers_s = {{"event_untraced", 1.009e-3}, {"span", 1.000e-3}};  // within 1 %
  EXPECT_EQ(doubts(m, {2.8e-6, 0.3e-6}), Flags{});
}

TEST(Doubts, ARankThatBeginsLateIsNamed) {
  MeasuredMetric m = measured(quiet());
  m.timers_s = {{"rank_start_0", 0}, {"rank_start_1", 2e-6}};
  EXPECT_EQ(doubts(m), Flags{});
  m.timers_s["rank_start_1"] = 25e-6;
  EXPECT_EQ(doubts(m), Flags{"rank 1 is late"});
}

TEST(Doubts, ABlockSetAsideIsNamed) {
  MeasuredMetric m = measured(quiet());
  m.block_causes[5] = "thermal";
  EXPECT_EQ(doubts(m), Flags{kFlagSetAside});
}

}  // namespace
}  // namespace plumbline
