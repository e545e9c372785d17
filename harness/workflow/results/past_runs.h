/// Earlier runs: for a comparison (--history DIR), and for one case (`history`).
///
/// Only reads; judges nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/history/history.h"
#include "store/run/accepted_runs.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// The history for a comparison: both sides, and, if they came before the candidate, the runs in
/// `folder` ("": none) and the other runs of the baseline. Without copies. Throws Error if it
/// cannot be read: a missing history must not count as one without noise.
History past_runs(const std::string& folder, const Baseline& baseline, const Run& candidate,
                  Talk& talk);

struct HistoryRequest {
  std::string case_id;
  std::string anchor;  // path of the run to compare the last one with; "" = the first run
  PlaceRequest places;
  std::vector<std::string> metrics;  // empty = all
};

struct CaseSeries {
  std::size_t series;  // index in the history
  SeriesReading reading;
};

struct CaseHistory {
  History history;
  HistoryRule rule;  // the rule used for reading
  std::vector<CaseSeries> series;
};

/// One case over the project's runs. Throws Error for an unknown case, naming similar ones.
CaseHistory history_of_case(const HistoryRequest& request, Talk& talk);

}  // namespace plumbline
