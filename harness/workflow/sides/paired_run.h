/// Two sides measured in pairs into two run directories, until every case is decided or all looks
/// are spent: what `ab` does with all cases, and `check` with those that it has doubts about.
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

/// How pairs are measured and judged. What is not said is the device's default.
struct PairOptions {
  std::vector<std::size_t> looks;
  std::optional<double> margin, effect_floor;
  double control_share = DecisionRule{}.control_share;  // of the pairs' time, for controls
  bool own_placements = false;

  /// What a project says, where nothing else is said.
  void take_defaults(const Thresholds& project);
  /// Throws Error.
  PairedRule rule(std::string_view device_kind) const;
};

struct PairedRequest {
  std::array<const Side*, 2> sides{};      // a, the baseline's; b
  RunRequest run;                          // which cases, where
  std::optional<std::set<CaseKey>> cases;  // exactly these, by b's names; none: what `run` selects
  PairOptions pairs;
  std::string folder;                // the runs go to a and b in it
  std::vector<std::string> command;  // that is recorded
};

struct PairedRun {
  std::array<Run, 2> runs;  // finished, unless the user stopped it
  PairedTrial trial;
  CompareOptions options;
  std::vector<std::string> suite_changes;   // sentences
  std::map<CaseKey, std::string> unpaired;  // cases of b: why a has none to measure beside
  int signal = 0;                           // that stopped it
  std::size_t apart = 0;                    // pairs of workers on a GPU that shared no memory
  bool has_controls = false;                // the sides' workers allow for them
  std::shared_ptr<const ControlRuns> controls;
};

/// What the pairs alone say of every case that they measured.
Comparison comparison_of(const PairedRun& measured, const PairedRequest& request);

/// The cases that pairs judged.
std::set<CaseKey> judged_cases(const PairedRun& measured);

/// Says in the notes that placements did not cancel, where workers shared no memory.
void note_placements(const PairedRun& measured, Comparison& comparison);

/// Both runs of the pairs, and what their sides are.
PairedSides paired_sides(const PairedRun& measured, const std::array<const Side*, 2>& sides);

/// Says in the notes what the suites of the sides say differently, and in the findings of cases
/// that could not be measured in pairs why not. `a`: the name of the baseline's side.
void tell_unpaired(const PairedRun& measured, const std::string& a, Comparison& comparison);

/// Throws Error, also where the sides' workers stand on different devices.
PairedRun run_in_pairs(PairedRequest request, Talk& talk);

}  // namespace plumbline
