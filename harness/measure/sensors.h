/// Reads the device's sensors while blocks are measured, no more often than is free.
#pragma once

#include "device/device.h"
#include "measure/flags.h"
#include "measure/outside_cause.h"
#include "measure/sampler.h"

namespace plumbline {

/// A reading covers the time since the previous one: it judges the blocks in between. The first
/// reading covers the time since construction. After the last block the sensors must be read once
/// more.
class Sensors {
 public:
  explicit Sensors(const Device& device) : device_(device), read_s_(device.now_s()) {
    device.watch();
  }

  /// Every 50 ms. A query that the driver must pass to the device costs up to 3 ms.
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

/// Blocks that no earlier reading has judged get the cause from this one.
inline void judge_blocks(MeasuredMetric& measurement, const DeviceState& state) {
  if (measurement.block_causes.size() == measurement.samples.blocks()) return;
  measurement.block_causes.resize(measurement.samples.blocks(), outside_cause(state));
  if (state.has_foreign_process) measurement.add_flag(kFlagForeignProcess);
}

}  // namespace plumbline
