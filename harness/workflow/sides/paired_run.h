/// Measures two sides in pairs into two run directories, until every case is decided or all looks
/// are used. `ab` measures all cases, `check` those in doubt.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/confirm/paired_comparison.h"
#include "analysis/confirm/side_code.h"
#include "core/run/run.h"
#include "suite/project_file.h"
#include "workflow/setup/request.h"
#include "workflow/sides/control_runs.h"
#include "workflow/sides/side.h"

namespace plumbline {

/// How to measure and judge pairs. Missing values are the device's defaults.
struct PairOptions {
  std::vector<std::size_t> looks;
  std::optional<double> margin, effect_floor;
  double control_share = DecisionRule{}.control_share;  // share of the pairs' time for controls
  bool own_placements = false;

  /// What a project says, where nothing else is said.
  void take_defaults(const Thresholds& project);
  /// Throws Error.
  PairedRule rule(std::string_view device_kind) const;
};

struct PairedRequest {
  std::array<const Side*, 2> sides{};      // a: the baseline's; b
  RunRequest run;                          // which cases to measure, and where
  std::optional<std::set<CaseKey>> cases;  // exactly these, by b's names; nothing: as `run` selects
  PairOptions pairs;
  std::string folder;                // holds the runs a and b
  std::vector<std::string> command;  // recorded in the runs
  // Each side's run directory gets the machine code of the kernels that were traced: code/, as
  // device/cuda/code/kept_code.h names its files. Not from a sandbox, whose workers write nothing.
  bool keeps_code = false;
  std::set<CaseKey> bystanders = {};  // for which alone no more pairs are measured (PairedTrial)
};

struct PairedRun {
  std::array<Run, 2> runs;  // complete, unless the user stopped them
  PairedTrial trial;
  CompareOptions options;
  std::vector<std::string> suite_changes;   // sentences
  std::map<CaseKey, std::string> unpaired;  // cases of b: why a has no case to pair with
  int signal = 0;                           // the signal that stopped it
  std::size_t apart = 0;                    // pairs of workers on one GPU that shared no memory
  bool has_controls = false;                // the sides' workers allow controls
  std::shared_ptr<const ControlRuns> controls;
};

/// The comparison by pairs alone of every case that they measured.
Comparison comparison_of(const PairedRun& measured, const PairedRequest& request);

/// The cases that pairs judged.
std::set<CaseKey> judged_cases(const PairedRun& measured);

/// Adds a note that placements did not cancel if workers shared no memory.
void note_placements(const PairedRun& measured, Comparison& comparison);

/// Both runs of the pairs, and the identities of their sides.
PairedSides paired_sides(const PairedRun& measured, const std::array<const Side*, 2>& sides);

/// Notes the differences between the sides' suites. Sets the reason in findings of cases that could
/// not be measured in pairs. `a`: the name of the baseline's side.
void tell_unpaired(const PairedRun& measured, const std::string& a, Comparison& comparison);

/// Throws Error, also if the sides' workers use different devices.
PairedRun run_in_pairs(PairedRequest request, Talk& talk);

}  // namespace plumbline
