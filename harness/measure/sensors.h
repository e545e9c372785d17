/// The device's sensors while blocks are measured, asked no more often than is free of charge.
#pragma once

#include <limits>

#include "device/device.h"

namespace plumbline {

class Sensors {
 public:
  explicit Sensors(const Device& device) : device_(device) {}

  /// Not older than 20 ms. What the driver has not asked the device of late costs up to 3 ms.
  const DeviceState& now() {
    constexpr double kEvery_s = 0.02;
    if (device_.now_s() - asked_s_ < kEvery_s) return state_;
    asked_s_ = device_.now_s();
    state_ = device_.state();
    return state_;
  }

 private:
  const Device& device_;
  DeviceState state_;
  double asked_s_ = -std::numeric_limits<double>::infinity();
};

}  // namespace plumbline
