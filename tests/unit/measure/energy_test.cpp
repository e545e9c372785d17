#include "measure/energy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace plumbline {
namespace {

/// A device that runs one launch after another at constant power, with a counter that moves ten
/// times a second. Its host needs a little time to enqueue each launch.
struct SteadyDevice {
  double launch_s = 100e-6, watts = 500, host_s = 2e-6;
  double step_s = 0.1, phase_s = 0.037;
  double clock_s = 0, device_free_s = 0, batch_before_s = 0;

  EnergySource source() {
    return {
        .energy_j = [this] { return watts * step_s * std::floor((clock_s + phase_s) / step_s); },
        .now_s = [this] { return clock_s; },
        .enqueue =
            [this](int launches) {
              clock_s += host_s * launches;
              const double before_s = device_free_s;
              device_free_s = std::max(device_free_s, clock_s) + launch_s * launches;
              clock_s = std::max(clock_s, before_s);
            }};
  }
};

TEST(Energy, PerLaunchIsPowerTimesTimeWithinTheStatedUncertainty) {
  SteadyDevice device;
  const EnergySource source = device.source();
  const EnergyReading reading = measure_energy(source, {}, 1);
  ASSERT_EQ(reading.absent, "");
  const double expected_j = 500 * 100e-6;
  const double uncertainty_j = reading.energy.timers_s.at("energy_uncertainty");
  ASSERT_EQ(reading.energy.samples.blocks(), 3u);
  for (const double joules : reading.energy.samples.values())
    EXPECT_NEAR(joules, expected_j, uncertainty_j);
  EXPECT_LT(uncertainty_j, 0.02 * expected_j);
  EXPECT_GT(uncertainty_j, 0);
  for (const double watts : reading.power.samples.values())
    EXPECT_NEAR(watts, 500, reading.power.timers_s.at("power_uncertainty"));
  EXPECT_NEAR(reading.energy.timers_s.at("launch"), 100e-6, 1e-9);
}

TEST(Energy, WindowsAreAtLeastAsLongAsPlannedAndBeginWhenTheCounterMoves) {
  SteadyDevice device;
  const EnergySource source = device.source();
  const EnergyReading reading = measure_energy(source, {.window_s = 0.25, .windows = 2}, 1);
  ASSERT_EQ(reading.absent, "");
  EXPECT_GE(double(reading.energy.batch) * 100e-6, 0.25);
  // The first step is at 0.063 s; the second one opens the first window.
  EXPECT_NEAR(reading.energy.block_times_s[0], 0.163, 0.011);
  EXPECT_NEAR(reading.energy.block_times_s[1] - reading.energy.block_times_s[0], 0.3, 0.011);
}

TEST(Energy, OfAGraphIsSharedAmongItsLaunches) {
  SteadyDevice device;
  const EnergySource source = device.source();
  const EnergyReading reading = measure_energy(source, {}, 50);
  EXPECT_NEAR(reading.energy.samples.values()[0], 500 * 100e-6 / 50, 0.02 * 1e-3);
  EXPECT_NEAR(reading.power.samples.values()[0], 500, 10);
}

TEST(Energy, TheDeviceNeverWaitsForTheHostWhileLaunchesAreShort) {
  SteadyDevice device;
  device.launch_s = 5e-6;
  const EnergySource source = device.source();
  const EnergyReading reading = measure_energy(source, {}, 1);
  EXPECT_NEAR(reading.energy.timers_s.at("launch"), 5e-6, 5e-9);
}

TEST(Energy, IsAbsentWithAReasonWhereTheCounterStandsStillOrIsUnknown) {
  SteadyDevice device;
  device.watts = 0;
  EXPECT_NE(measure_energy(device.source(), {}, 1).absent.find("did not move for 1 s"),
            std::string::npos);
  device.watts = std::nan("");
  const EnergyReading reading = measure_energy(device.source(), {}, 1);
  EXPECT_NE(reading.absent.find("no total energy"), std::string::npos);
  EXPECT_TRUE(reading.energy.samples.empty());
}

}  // namespace
}  // namespace plumbline
