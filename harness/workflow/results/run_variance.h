/// Where the scatter of runs of the same thing comes from: what `variance` shows.
///
/// Reads the runs; what they say is analysis/variance's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/variance/agreement.h"
#include "workflow/talk.h"

namespace plumbline {

struct VarianceRequest {
  std::vector<std::string> runs, metrics, filters;
  bool pairs = false;  // how far apart runs 1 and 2, 3 and 4, … are
};

struct RunVariances {
  std::vector<Run> runs;
  std::vector<CaseVariance> table;  // of the metrics and cases that were asked for
  std::optional<AgreementTable> agreement;
};

/// Throws Error where a run was named twice, and where nothing is left to show.
RunVariances variance_of_runs(const VarianceRequest& request, Talk& talk);

}  // namespace plumbline
