/// Two sides measured in pairs into two run directories, until every case is decided or all looks
/// are spent: what `ab` does with all cases, and `check` with those that it has doubts about.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/paired_comparison.h"
#include "analysis/side_code.h"
#include "cli/flags.h"
#include "cli/side.h"
#include "core/run.h"

namespace plumbline {

struct PairFlags {
  std::vector<std::size_t> looks;
  std::string margin, threshold, controls;
  bool own_placements = false;
};
void add_pair_flags(CLI::App& app, PairFlags& flags);
/// The device's rule with what the flags say. Throws Error.
PairedRule rule_of(const PairFlags& flags, std::string_view device_kind);

/// Share of the cases that are measured as controls. Throws Error.
double control_share_of(const PairFlags& flags);

struct PairedRequest {
  std::array<const Side*, 2> sides{};      // a, the baseline's; b
  RunFlags run;                            // which cases, where
  std::optional<std::set<CaseKey>> cases;  // exactly these, by b's names; none: what `run` selects
  PairFlags pairs;
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
};

/// Says in the notes that placements did not cancel, where workers shared no memory.
void note_placements(const PairedRun& measured, Comparison& comparison);

/// Both runs of the pairs, and what their sides are.
PairedSides paired_sides(const PairedRun& measured, const std::array<const Side*, 2>& sides);

/// Says in the notes what the suites of the sides say differently, and in the findings of cases
/// that could not be measured in pairs why not. `a`: the name of the baseline's side.
void tell_unpaired(const PairedRun& measured, const std::string& a, Comparison& comparison);

/// Throws Error, also where the sides' workers stand on different devices.
PairedRun run_in_pairs(PairedRequest request);

}  // namespace plumbline
