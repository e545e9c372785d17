/// Limits the time that controls take to a share of the time of pairs.
#pragma once

#include <chrono>

namespace plumbline {

/// Seconds of a monotonic clock.
inline double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class ControlBudget {
 public:
  /// `share`: of the time of the pairs, with the start of their workers; 0 allows no controls.
  explicit ControlBudget(double share = 0) : share_(share) {}

  void add_pairs(double seconds) { pairs_s_ += seconds; }
  void add_control(double seconds) { controls_s_ += seconds; }
  /// Whether a control of that many seconds stays within the share of the time so far.
  bool affords(double seconds) const {
    return share_ > 0 && controls_s_ + seconds <= share_ * pairs_s_;
  }

 private:
  double share_, pairs_s_ = 0, controls_s_ = 0;
};

}  // namespace plumbline
