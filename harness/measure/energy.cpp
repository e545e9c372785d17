#include "measure/energy.h"

#include <algorithm>
#include <cmath>

#include "core/value.h"
#include "measure/blocks.h"

namespace plumbline {
namespace {

/// Two batches in flight must fit into the launch queue.
constexpr int kBatchMax = 1024;

/// A step of the counter: when it was observed, how much earlier it may have happened, and the
/// number of completed launches.
struct Step {
  double energy_j = 0, time_s = 0, late_s = 0;
  double launches = 0;
};

/// Runs launches back to back and watches the counter.
class Watch {
 public:
  Watch(const EnergySource& source, const EnergyPlan& plan) : source_(source), plan_(plan) {
    source_.enqueue(batch_);
    look_s_ = begin_s_ = source_.now_s();
    last_j_ = source_.energy_j();
  }

  /// Runs launches until the counter moves. False if it does not move within the plan's patience.
  bool next_step(Step& step) {
    const double waiting_since_s = look_s_;
    while (true) {
      source_.enqueue(batch_);
      completed_ += running_;
      running_ = batch_;
      const double now_s = source_.now_s();
      const double energy_j = source_.energy_j();
      const double late_s = now_s - look_s_;
      look_s_ = now_s;
      if (energy_j != last_j_) {
        step = {energy_j, now_s, late_s, completed_};
        last_j_ = energy_j;
        return true;
      }
      if (is_settling_ && late_s < plan_.look_every_s) grow(late_s);
      if (now_s - waiting_since_s > plan_.patience_s) return false;
    }
  }

  double counter_j() const { return last_j_; }
  double begin_s() const { return begin_s_; }
  /// Keeps the batch size from now on.
  void settle() { is_settling_ = false; }

 private:
  void grow(double late_s) {
    const double factor = std::clamp(plan_.look_every_s / std::max(late_s, 1e-9), 1.0, 2.0);
    batch_ = std::min(int(std::ceil(batch_ * factor)), kBatchMax);
  }

  const EnergySource& source_;
  const EnergyPlan& plan_;
  int batch_ = 1, running_ = 1;
  double completed_ = 0;
  double begin_s_ = 0, look_s_ = 0, last_j_ = 0;
  bool is_settling_ = true;
};

void add_window(MeasuredMetric& measurement, double value, double since_s) {
  add_block(measurement, {&value, 1}, since_s);
  measurement.block_causes.emplace_back();
}

void keep_largest(MeasuredMetric& measurement, const char* name, double value) {
  double& kept = measurement.timers_s[name];
  kept = std::max(kept, value);
}

}  // namespace

EnergyReading measure_energy(const EnergySource& source, const EnergyPlan& plan,
                             int launches_each) {
  EnergyReading reading;
  if (std::isnan(source.energy_j())) {
    reading.absent = "the driver tells no total energy of this device (NVML)";
    return reading;
  }
  reading.energy.metric = "energy";
  reading.power.metric = "power";
  Watch watch(source, plan);
  Step from;
  // Between the first two steps, clock and power become stable and batches reach their size.
  bool moves = watch.next_step(from) && watch.next_step(from);
  watch.settle();
  for (int window = 0; moves && window < plan.windows; ++window) {
    Step to = from;
    while (moves && to.time_s - from.time_s < plan.window_s) moves = watch.next_step(to);
    if (!moves) break;
    const double seconds = to.time_s - from.time_s;
    const double launches = (to.launches - from.launches) * launches_each;
    const double joules = to.energy_j - from.energy_j;
    // Each end may be anywhere between two reads: on average half of that time.
    const double share = (from.late_s + to.late_s) / 2 / seconds;
    add_window(reading.energy, joules / launches, from.time_s - watch.begin_s());
    add_window(reading.power, joules / seconds, from.time_s - watch.begin_s());
    keep_largest(reading.energy, "energy_uncertainty", share * joules / launches);
    keep_largest(reading.power, "power_uncertainty", share * joules / seconds);
    if (window == 0) {
      reading.energy.batch = reading.power.batch = std::int64_t(launches);
      reading.energy.timers_s["launch"] = seconds / launches;
    }
    from = to;
  }
  if (!moves)
    reading.absent = "the counter of the device's total energy did not move for " +
                     shortest_text(plan.patience_s) + " s of launches";
  return reading;
}

}  // namespace plumbline
