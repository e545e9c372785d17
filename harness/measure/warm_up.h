/// When the device is warm: after three launches and the policy's time, and once the SM clock is
/// stable.
///
/// Makes no launches: its caller does, and reports them here.
#pragma once

#include <vector>

#include "core/run/policy.h"
#include "device/device.h"

namespace plumbline {

class WarmUp {
 public:
  /// Begins now.
  WarmUp(const Device& device, const Policy& policy)
      : device_(device), policy_(policy), begin_s_(device.now_s()) {}

  /// SM clock around a launch; 0 = unknown.
  void add_launch(double clock_hz);

  /// After at least three launches and `warmup_s`. Then, if clocks are known, when the last ones
  /// are within 1 % of each other, at most after `warmup_max_s`.
  bool is_over() const;

 private:
  const Device& device_;
  const Policy& policy_;
  double begin_s_;
  int launches_ = 0;
  std::vector<double> clocks_hz_;
};

}  // namespace plumbline
