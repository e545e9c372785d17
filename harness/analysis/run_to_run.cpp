#include "analysis/run_to_run.h"

#include <vector>

namespace plumbline {

RunToRun::RunToRun(const History* history, const RunInfo& baseline) {
  if (!history) return;
  const std::vector<RunVariance> variances = run_variances(*history);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const Series& series = history->series[i];
    if (variances[i].df > 0 && series.device_class == baseline.environment.device_class &&
        series.measurement_revision == baseline.measurement_revision)
      known_[{series.suite, series.case_id, series.metric, series.revision}] = variances[i];
  }
}

RunVariance RunToRun::of(const Finding& finding, std::string_view revision) const {
  if (known_.empty()) return {};
  const auto variance_of = [&](const std::string& case_id) {
    const auto found = known_.find({finding.suite, case_id, finding.metric, std::string(revision)});
    return found == known_.end() ? RunVariance{} : found->second;
  };
  const RunVariance own = variance_of(finding.case_id);
  const bool is_of_old_id = !(own.df > 0) && !finding.renamed_from.empty();
  return is_of_old_id ? variance_of(finding.renamed_from) : own;
}

}  // namespace plumbline
