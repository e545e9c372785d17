/// Earlier runs: for a comparison (--history DIR), and a case over them (`history`).
///
/// Reads; judges nothing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/history/history.h"
#include "store/run/accepted_runs.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// The history of the runs in `folder` ("": none) and of the others that the baseline holds, as far
/// as they came before the candidate, and of both sides, without copies. Throws Error where it
/// cannot be read: a history that was named and is not there is no history of zero noise.
History past_runs(const std::string& folder, const Baseline& baseline, const Run& candidate,
                  Talk& talk);

struct HistoryRequest {
  std::string case_id;
  std::string anchor;  // path of the run to compare the last one with; "" = the first
  PlaceRequest places;
  std::vector<std::string> metrics;  // none = all
};

struct CaseSeries {
  std::size_t series;  // index in the history
  SeriesReading reading;
};

struct CaseHistory {
  History history;
  HistoryRule rule;  // that it was read by
  std::vector<CaseSeries> series;
};

/// A case over the project's runs. Throws Error for a case that no run holds, naming some like it.
CaseHistory history_of_case(const HistoryRequest& request, Talk& talk);

}  // namespace plumbline
