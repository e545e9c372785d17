#include "worker/subjects/counter_sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "support/scripted_device.h"

namespace plumbline {
namespace {

/// Counters that play back what a test says.
struct ScriptedCounters final : Counters {
  std::map<std::string, double> values;  // of every launch
  int passes = 1;
  double lasts_s = 0;
  std::string refusal;
  DeviceError::Kind refusal_kind = DeviceError::Kind::recoverable;
  ScriptedDevice& device;

  explicit ScriptedCounters(ScriptedDevice& of) : device(of) {}
  std::string no_counters() const override { return ""; }
  CounterReading count(const Launch& launch, const std::function<void()>& before,
                       const std::function<void()>& after) override {
    if (!refusal.empty()) throw DeviceError(refusal, refusal_kind);
    for (int i = 0; i < passes; ++i) {
      before();
      launch();
      after();
    }
    device.pass(lasts_s);
    return {values, {}};
  }
};

/// A case whose launches, contents and looks are counted.
struct ScriptedCase {
  ScriptedDevice device;
  ScriptedCounters counters{device};
  std::vector<std::int64_t> placements;
  std::vector<std::uint64_t> renewed;
  int launches = 0, looks = 0;

  VisitSamples sample() {
    Scrutiny scrutiny;
    scrutiny.renew = [this](std::uint64_t contents) { renewed.push_back(contents); };
    scrutiny.look = [this] { ++looks; };
    return sample_counters(
        device, counters,
        [this](std::int64_t placement, std::uint64_t) {
          placements.push_back(placement);
          return [this] { ++launches; };
        },
        scrutiny);
  }
};

const MeasuredMetric& metric(const VisitSamples& samples, const std::string& name) {
  const auto found = std::ranges::find(samples.measurements, name, &MeasuredMetric::metric);
  if (found == samples.measurements.end()) throw std::runtime_error("no metric " + name);
  return *found;
}

TEST(CounterSampler, CountsALaunchAtEachPlacementOnRestoredContents) {
  ScriptedCase one;
  one.counters.passes = 4;
  one.counters.values = {{"dram_bytes", 8e6}, {"l2_hit_rate", 0.25}};
  const VisitSamples samples = one.sample();
  EXPECT_EQ(one.placements, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_EQ(one.launches, 3 * (2 + 4)) << "two that are not counted, and one for each pass";
  EXPECT_EQ(one.looks, 3 * 4);
  ASSERT_EQ(one.renewed.size(), 3 * 4u);
  EXPECT_EQ(one.renewed[0], one.renewed[3]) << "the passes of a launch see the same values";
  EXPECT_NE(one.renewed[3], one.renewed[4]) << "another placement has others";
  EXPECT_EQ(metric(samples, "dram_bytes").samples.blocks(), 3u);
  EXPECT_EQ(metric(samples, "dram_bytes").samples.values()[2], 8e6);
  EXPECT_EQ(metric(samples, "l2_hit_rate").block_placements, (std::vector<std::int64_t>{0, 1, 2}));
}

TEST(CounterSampler, ARefusalIsAReasonAndEndsNothing) {
  ScriptedCase one;
  one.counters.refusal = "CUPTI says CUPTI_ERROR_INSUFFICIENT_PRIVILEGES";
  const VisitSamples samples = one.sample();
  EXPECT_TRUE(samples.measurements.empty());
  EXPECT_EQ(samples.absent, (std::map<std::string, std::string>{
                                {"counters", "CUPTI says CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"}}));
}

TEST(CounterSampler, ALostDeviceIsNoReason) {
  ScriptedCase one;
  one.counters.refusal = "illegal address";
  one.counters.refusal_kind = DeviceError::Kind::sticky;
  EXPECT_THROW(one.sample(), DeviceError);
}

TEST(CounterSampler, ALongCaseIsCountedOnce) {
  ScriptedCase one;
  one.counters.values = {{"dram_bytes", 8e6}};
  one.counters.lasts_s = 10;
  EXPECT_EQ(metric(one.sample(), "dram_bytes").samples.blocks(), 1u);
}

}  // namespace
}  // namespace plumbline
