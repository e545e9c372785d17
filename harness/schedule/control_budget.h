/// How much of the time of pairs controls may take, and have taken.
#pragma once

#include <chrono>

namespace plumbline {

/// Seconds of a clock that never goes back.
inline double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class ControlBudget {
 public:
  /// `share`: of the time of the pairs, start-up of their workers included; 0 affords nothing.
  explicit ControlBudget(double share = 0) : share_(share) {}

  void add_pairs(double seconds) { pairs_s_ += seconds; }
  void add_control(double seconds) { controls_s_ += seconds; }
  /// Whether a control of so many seconds stays within the share of the time until now.
  bool affords(double seconds) const {
    return share_ > 0 && controls_s_ + seconds <= share_ * pairs_s_;
  }

 private:
  double share_, pairs_s_ = 0, controls_s_ = 0;
};

}  // namespace plumbline
