/// Compares a finished run with the accepted results: the command `compare`, and part of `check`.
///
/// Reads files; measures nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "analysis/history/history.h"
#include "store/run/accepted_runs.h"
#include "suite/project_file.h"
#include "workflow/results/page.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// A comparison of two runs by everything that is known about them.
struct Screen {
  Comparison comparison;
  CompareOptions options;            // its options: what suites say about single cases
  std::unique_ptr<History> history;  // `options` points to it
};

/// `history`: a folder of earlier runs, "" for none. Throws Error if it cannot be read.
Screen screen(const Baseline& baseline, const Run& candidate, const DecisionRule& rule,
              const std::string& history, Talk& talk);

/// The device's default with a project's or a command's thresholds.
DecisionRule screen_rule(std::string_view device_kind, const Thresholds& thresholds);

struct CompareRequest {
  std::string baseline, candidate;  // as read_input_runs() takes them
  Thresholds thresholds;            // before the project's
  PlaceRequest places;
  bool trusts_screen = false;      // reports apparent changes as changes without confirmation
  std::vector<std::string> pairs;  // folders of `ab` that decide the cases in doubt
  std::string doubts;              // file for the list of those cases; "" = none
};

/// There is no comparison if the named baselines hold none for the candidate. Throws Error.
PageMaterial compare_runs(const CompareRequest& request, Talk& talk);

}  // namespace plumbline
