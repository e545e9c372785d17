/// When the device has warmed up: after the policy's time, and once the SM clock stands still.
///
/// Knows no launches: whoever makes them hands over the clocks.
#pragma once

#include <vector>

#include "core/policy.h"

namespace plumbline {

class WarmUp {
 public:
  explicit WarmUp(const Policy& policy) : policy_(policy) {}

  /// SM clock around a launch; 0 = unknown.
  void add_clock(double clock_hz);

  /// After `spent_s` of launches: at least `warmup_s`, then until the last clocks are within 1 % of
  /// each other (where they are known), at most `warmup_max_s`.
  bool is_over(double spent_s) const;

 private:
  const Policy& policy_;
  std::vector<double> clocks_hz_;
};

}  // namespace plumbline
