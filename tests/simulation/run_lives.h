/// A run in several lives: begun, killed, resumed, until it is finished.
///
/// Uses the scheduler, the writer, resume and the reader as run_suites() does. Checks what holds at
/// the end of each life, and the finished run.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "simulation/ledger.h"
#include "simulation/workers.h"
#include "workflow/run/measured_run.h"

namespace plumbline::simulation {

/// Where a scenario lives: its folder, its dice, its clock.
struct World {
  const Scenario& scenario;
  Kernel& kernel;
  Tally& tally;
  std::string folder;    // of everything that the scenario writes
  int processes = 1000;  // the last process id

  std::string locks() const { return folder + "/locks"; }
};

/// Forgets everything, as a program in a log does.
class Deaf : public RunListener {
 public:
  void on_visit(const Case&, std::span<const ResultRow>) override {}
  void on_progress(const Case&, const Progress&) override {}
  void on_note(const std::string&) override {}
};

class SimulatedRun {
 public:
  /// `shard`: from 1, of the scenario's; 0: the run has no shards.
  SimulatedRun(World& world, SideNumber side, std::size_t shard, Dice dice);

  /// Lives until the run is finished and complete.
  void live_through();
  const std::string& path() const { return path_; }
  /// The finished run, as it is read.
  const Run& run() const { return *left_; }
  const std::string& text() const { return ledger_.text(); }
  bool is_begun() const;

  /// Called at the end of each life that did not finish the run.
  std::function<void()> on_unfinished = [] {};

 private:
  enum class End { finished, stopped, died };

  void live(const LifePlan& plan);
  End measure(const LifePlan& plan, Interrupt& interrupt, Workers& workers);
  RunWriter opened(EarlierVisits& measured);
  void rival() const;
  void check_end(End end);
  void check_finished();
  void check_undisturbed(const Run& run);
  void choose_devices();
  std::vector<RunDevice> devices_of(Workers& workers);

  World& world_;
  SideNumber side_;
  std::string path_;
  Dice dice_;
  Turns turns_;
  Ledger ledger_;
  std::vector<std::size_t> subjects_;  // of this shard
  std::vector<Case> cases_;
  RunInfo info_;
  std::vector<std::string> uuids_;  // devices of this life
  std::optional<Run> left_;         // by the last life
  std::size_t deaths_ = 0;
  bool is_finished_ = false;
  bool has_changed_devices_ = false;
};

/// Throws Violation if somebody still holds a lock of the scenario, or of the run.
void check_locks(const World& world, const std::vector<std::string>& uuids,
                 const std::string& run_directory);

/// Files in the folder of a run: only those of a run, and unfinished ones of killed processes.
void check_files(const std::string& folder, bool is_finished, std::size_t deaths);

}  // namespace plumbline::simulation
