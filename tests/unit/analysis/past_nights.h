/// A history of nights, for tests of code that reads it.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.h"
#include "core/moment.h"

namespace plumbline {

/// Nights of cases whose estimates are a function of case and night.
template <class Estimate>
std::vector<RunSummary> nights(int count, int cases, Estimate estimate) {
  std::vector<RunSummary> all;
  for (int night = 0; night < count; ++night) {
    RunSummary summary;
    summary.run.path = "runs/" + std::to_string(night);
    summary.run.started_at = utc_text({night * 86'400});
    summary.run.device_class = "NVIDIA H200";
    summary.run.measurement_revision = kMeasurementRevision;
    for (int i = 0; i < cases; ++i) {
      CaseSummary row;
      row.suite = "quick";
      row.case_id = "op/libtorch/n=" + std::to_string(i);
      row.revision = "1";
      row.metric = "gpu_time_cold";
      row.unit = "s";
      row.estimate = estimate(i, night);
      summary.rows.push_back(row);
    }
    all.push_back(summary);
  }
  return all;
}

}  // namespace plumbline
