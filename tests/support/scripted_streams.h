/// Streams that play back samples, so that tests of a visit with streams need no GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/streams.h"

namespace plumbline {

class ScriptedStreams final : public StreamDevice {
 public:
  /// A block's readings: called with the block's number, from 0, and its plan.
  std::function<StreamReading(int block, const StreamPlan& plan)> reading;
  TimerFloor floor{2e-6, 1e-6};
  bool has_trace = false;

  std::vector<StreamPlan> plans;  // plans that were requested

  std::string open(const StreamSetup&) override { return ""; }
  void close() override {}
  TimerFloor fork_join_floor() const override { return floor; }
  void* handle(int) const override { return nullptr; }
  void work_for(int, bool) override {}
  void run(const StreamLaunch& launch, const std::vector<bool>& delayed, double) override {
    for (int i = 0; i < int(delayed.size()); ++i) launch(i, i);
  }
  StreamReading time_block(const StreamLaunch&, const StreamPlan& plan) override {
    plans.push_back(plan);
    return reading(int(plans.size()) - 1, plan);
  }
  void synchronize() override {}
  bool is_traced() const override { return has_trace; }
};

}  // namespace plumbline
