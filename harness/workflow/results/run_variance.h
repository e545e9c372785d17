/// Where the scatter between runs of the same thing comes from: the command `variance`.
///
/// Reads the runs; analysis/variance analyses them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/variance/agreement.h"
#include "workflow/talk.h"

namespace plumbline {

struct VarianceRequest {
  std::vector<std::string> runs, metrics, filters;
  bool pairs = false;  // also compares runs 1 and 2, 3 and 4, …
};

struct RunVariances {
  std::vector<Run> runs;
  std::vector<CaseVariance> table;  // of the requested metrics and cases
  std::optional<AgreementTable> agreement;
};

/// Throws Error if a run was named twice, or if nothing is left to show.
RunVariances variance_of_runs(const VarianceRequest& request, Talk& talk);

}  // namespace plumbline
