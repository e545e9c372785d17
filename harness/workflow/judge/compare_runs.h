/// A run that is there against what is accepted: what `compare` does, and `check` before it
/// measures anything again.
///
/// Reads files; measures nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/compare/compare.h"
#include "analysis/history/history.h"
#include "store/run/accepted_runs.h"
#include "workflow/results/page.h"
#include "workflow/talk.h"

namespace plumbline {

/// Two runs compared by all that is known of them.
struct Screen {
  Comparison comparison;
  CompareOptions options;            // that it was made with: what suites say of single cases
  std::unique_ptr<History> history;  // what options point to
};

/// `history`: a folder of earlier runs, "" for none. Throws Error where it cannot be read.
Screen screen(const Baseline& baseline, const Run& candidate, const DecisionRule& rule,
              const std::string& history, Talk& talk);

struct CompareRequest {
  std::string baseline, candidate;  // as read_input_runs() takes them
  std::optional<double> margin, false_discovery_rate;
  std::string history;
  bool trusts_screen = false;  // what looks changed is called so, with nothing that confirms it
};

/// Nothing is compared where the baselines that were named hold none for the candidate. Throws
/// Error.
PageMaterial compare_runs(const CompareRequest& request, Talk& talk);

}  // namespace plumbline
