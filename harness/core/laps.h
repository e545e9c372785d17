/// How long each step of a task takes.
#pragma once

#include <chrono>
#include <map>
#include <string>

namespace plumbline {

class Laps {
 public:
  /// Counts the time since the last step ended (or since construction) for `step`.
  void end(const std::string& step) {
    const Clock::time_point now = Clock::now();
    spent_s_[step] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  /// Seconds by step.
  const std::map<std::string, double>& spent_s() const { return spent_s_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::map<std::string, double> spent_s_;
};

}  // namespace plumbline
