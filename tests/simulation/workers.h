/// Scripted worker processes of one life: they answer as the scenario plants, and fail as the life
/// plans. The simulated disturbances of a life are here, too.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "schedule/process/interrupt.h"
#include "schedule/worker.h"
#include "simulation/kernel.h"
#include "simulation/ledger.h"
#include "simulation/scenario.h"
#include "simulation/turns.h"

namespace plumbline::simulation {

enum class StartFault {
  fails_once,
  fails_twice,
  fails_thrice,  // the run must stop
  other_device,  // the GPU fell off the bus: the worker found another one
  replaced,      // somebody has built the worker anew
};

/// What goes wrong in a life.
struct LifePlan {
  KernelFaults kernel;
  std::map<std::uint64_t, StartFault> starts;     // by number of the start in this life
  std::uint64_t rival_at = KernelFaults::kNever;  // by number of the visit in this life
  bool has_watcher = false;                       // `status` holds the lock as it begins
};

/// In pairs each side declares its cases with this tag, which tells controls from other visits.
inline std::string side_tag(SideNumber side) { return side == 0 ? "a" : "b"; }

/// No disturbance; workers are as planted all the same.
inline LifePlan quiet() { return {}; }

/// Draws what goes wrong. `steps`: about as many as a whole life has. `may_fail_thrice`: whether a
/// profile without workers ends the run.
LifePlan draw_life(Dice& dice, std::uint64_t steps, bool may_fail_thrice);

/// The workers of a life. Not copied: its workers refer to it.
class Workers {
 public:
  Workers(const Scenario& scenario, const LifePlan& plan, Kernel& kernel, Turns& turns,
          Interrupt& interrupt, Tally& tally, Dice dice)
      : scenario_(scenario),
        plan_(plan),
        kernel_(kernel),
        turns_(turns),
        interrupt_(interrupt),
        tally_(tally),
        dice_(dice) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Starts a worker of a side on a device; `ledger` gets its visits.
  std::unique_ptr<Worker> start(WorkerKind kind, SideNumber side, const std::string& uuid,
                                Ledger& ledger);

  /// For pairs: visits of controls are not of the ledger.
  bool is_paired = false;
  /// What a second run tries while this one measures.
  std::function<void()> rival = [] {};

  /// Disturbances after which an Error is right.
  bool must_stop() const { return has_failed_thrice_ || has_other_device_; }
  bool was_replaced() const { return was_replaced_; }

 private:
  class Scripted;

  const Scenario& scenario_;
  const LifePlan& plan_;
  Kernel& kernel_;
  Turns& turns_;
  Interrupt& interrupt_;
  Tally& tally_;
  Dice dice_;
  std::uint64_t starts_ = 0, visits_ = 0;
  struct Failing {
    int left = 0;             // failures to come
    bool has_failed = false;  // the last try
  };
  std::map<std::pair<SideNumber, std::string>, Failing> failing_;  // by side and device
  bool has_failed_thrice_ = false, has_other_device_ = false, was_replaced_ = false;
};

}  // namespace plumbline::simulation
