/// The device's sensors while blocks are measured, asked no more often than is free of charge.
#pragma once

#include "device/device.h"
#include "measure/flags.h"
#include "measure/outside_cause.h"
#include "measure/sampler.h"

namespace plumbline {

/// A reading tells what was so since the one before it: the blocks in between are judged by it, the
/// first ones by what was so since this was made. After the last block the sensors are always to be
/// read.
class Sensors {
 public:
  explicit Sensors(const Device& device) : device_(device), read_s_(device.now_s()) {
    device.watch();
  }

  /// Every 50 ms. What the driver has not asked the device of late costs up to 3 ms.
  bool are_due() const {
    constexpr double kEvery_s = 0.05;
    return device_.now_s() - read_s_ >= kEvery_s;
  }

  const DeviceState& read() {
    read_s_ = device_.now_s();
    return state_ = device_.state();
  }
  const DeviceState& last() const { return state_; }

 private:
  const Device& device_;
  double read_s_;
  DeviceState state_;
};

/// Blocks of the measurement that no reading has judged yet get what this one tells.
inline void judge_blocks(MeasuredMetric& measurement, const DeviceState& state) {
  if (measurement.block_causes.size() == measurement.samples.blocks()) return;
  measurement.block_causes.resize(measurement.samples.blocks(), outside_cause(state));
  if (state.has_foreign_process) measurement.add_flag(kFlagForeignProcess);
}

}  // namespace plumbline
