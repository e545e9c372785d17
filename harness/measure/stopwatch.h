/// Adds the seconds that it lives to a sum, by a device's clock.
#pragma once

#include "device/device.h"

namespace plumbline {

class Stopwatch {
 public:
  Stopwatch(const Device& device, double& sum_s)
      : device_(device), sum_s_(sum_s), begin_s_(device.now_s()) {}
  ~Stopwatch() { sum_s_ += device_.now_s() - begin_s_; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  const Device& device_;
  double& sum_s_;
  double begin_s_;
};

}  // namespace plumbline
