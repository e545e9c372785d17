/// A hand-made history of two devices for the tests of the report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/history/history.h"
#include "store/index/history.h"

namespace plumbline {

/// Five nights before the run; even ones are on another device of its class.
inline History history_on_two_devices(const plumbline::Run& run) {
  std::vector<RunSummary> summaries{summary_of(run)};
  for (int night = 1; night <= 5; ++night) {
    summaries.push_back(summaries.front());
    PastRun& past = summaries.back().run;
    past.path = "runs/" + std::to_string(night);
    past.started_at = "2026-04-0" + std::to_string(night) + "T02:00:00Z";
    if (night % 2 == 1) past.device_uuid = "GPU-4e5f6071-0000-0000-0000-000000000000";
  }
  return make_history(std::move(summaries));
}

}  // namespace plumbline
