/// Two builds measured in pairs into two run directories, until every case is decided or all looks
/// are spent: what `ab` does with all cases, and `check` with those that it has doubts about.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/paired_comparison.h"
#include "cli/flags.h"
#include "cli/project.h"
#include "cli/tree.h"
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
  std::array<BuiltTree, 2> trees;  // a, the baseline; b
  RunFlags run;                    // which cases, where
  PairFlags pairs;
  Project project;
  std::vector<std::string> files;    // suites
  std::string folder;                // the runs go to a and b in it
  std::vector<std::string> command;  // that is recorded
};

struct PairedRun {
  std::array<Run, 2> runs;  // finished, unless the user stopped it
  PairedTrial trial;
  CompareOptions options;
  int signal = 0;         // that stopped it
  std::size_t apart = 0;  // pairs of workers on a GPU that shared no memory
};

/// Says in the notes that placements did not cancel, where workers shared no memory.
void note_placements(const PairedRun& measured, Comparison& comparison);

/// Throws Error, also where the trees' workers stand on different devices.
PairedRun run_in_pairs(PairedRequest request);

}  // namespace plumbline
