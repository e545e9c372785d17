/// A device that plays back readings, so that tests of a visit need no clock.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "device/device.h"

namespace plumbline {

/// Round numbers, independent of the defaults.
inline Policy policy_of_tests() {
  Policy policy;
  policy.blocks_max = 32;
  policy.samples = 10;
  return policy;
}

class ScriptedDevice final : public Device {
 public:
  /// A block's readings: called with the block's number, from 0, and its plan.
  std::function<BlockReading(int block, const BlockPlan& plan)> reading;
  std::vector<TimeMetric> metrics{{"gpu_time_cold", CacheState::cold, Timer::events}};
  std::map<std::string, std::string> absent;
  double floor_s = 0, floor_uncertainty_s = 0;
  double floor_drift_s = 0;     // per visit
  std::string written_outside;  // returned by overrun()
  std::function<DeviceState(double now_s)> sensors = [](double) { return DeviceState{}; };
  bool is_holdable = true;
  bool is_gpu = false;
  int probes = 0;        // calls that test whether a launch can be held
  double tick_s = 1e-3;  // clock time per block

  std::vector<BlockPlan> plans;  // plans that were requested
  std::vector<std::string> calls;

  bool is_cuda() const override { return is_gpu; }
  Environment environment() const override { return {}; }
  TimeMetrics time_metrics(const Policy&, bool holdable) const override {
    if (holdable) return {metrics, absent};
    return {{{"wall_time", CacheState::hot, Timer::host_clock}}, absent};
  }
  void begin_visit() override { floor_s += floor_drift_s; }
  TimerFloor timer_floor() const override { return {floor_s, floor_uncertainty_s}; }
  double age_s() const override { return clock_s_; }
  std::string overrun() override { return written_outside; }
  void place(std::uint64_t) override { calls.emplace_back("place"); }
  void begin_launch() override {}
  void* allocate(std::size_t) override { return nullptr; }
  void release(void*) override {}
  void poison_allocations(bool) override {}
  void poison(std::span<const MemorySpan>) override {}
  void digest(std::span<const MemorySpan>) override {}
  std::vector<Digest> take_digests() override { return {}; }
  void fill(const Buffer&, std::uint64_t, const Distribution&) override {}
  BlockReading time_block(const Launch& launch, const BlockPlan& plan) override {
    for (int i = 0; i < plan.samples; ++i) {
      if (plan.around.before) plan.around.before(i);
      if (i == 0) launch();
      if (plan.around.after) plan.around.after(i);
    }
    plans.push_back(plan);
    clock_s_ += tick_s;
    calls.emplace_back("block");
    return reading(int(plans.size()) - 1, plan);
  }
  bool can_be_held(const Launch&) override {
    ++probes;
    return is_holdable;
  }
  void synchronize() override {}
  double now_s() const override { return clock_s_; }
  DeviceState state() const override { return sensors(clock_s_); }
  /// Moves the clock.
  void pass(double seconds) { clock_s_ += seconds; }

 private:
  double clock_s_ = 0;
};

/// A reading whose samples are all `value_s`.
inline BlockReading constant_reading(double value_s, const BlockPlan& plan) {
  BlockReading reading;
  reading.samples_s.assign(std::size_t(plan.samples), value_s);
  reading.spent_s = value_s * plan.samples * plan.batch;
  reading.clock_hz = 1.9e9;
  return reading;
}

}  // namespace plumbline
