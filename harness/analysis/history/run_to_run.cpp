#include "analysis/history/run_to_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace plumbline {

namespace {

/// True for a run that is neither side of the comparison.
bool is_earlier(const PastRun& run) { return !run.is_baseline && !run.is_candidate; }

}  // namespace

RunToRun::RunToRun(const History* history, const RunInfo& baseline)
    : history_(history), machine_(marks_of(baseline.environment)) {
  if (!history) return;
  const std::vector<RunVariance> variances = run_variances(*history);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    const Series& series = history->series[i];
    if (variances[i].df > 0 && series.device_class == baseline.environment.device_class &&
        series.measurement_revision == baseline.measurement_revision)
      known_[{series.suite, series.case_id, series.metric, series.unit, series.revision}] = {
          variances[i], &series};
  }
}

const RunToRun::Known* RunToRun::find(const Finding& finding, std::string_view revision) const {
  if (known_.empty()) return nullptr;
  for (const std::string* case_id : {&finding.case_id, &finding.renamed_from}) {
    if (case_id->empty()) continue;
    const auto found =
        known_.find({finding.suite, *case_id, finding.metric, finding.unit, std::string(revision)});
    if (found != known_.end()) return &found->second;
  }
  return nullptr;
}

RunVariance RunToRun::of(const Finding& finding, std::string_view revision) const {
  const Known* const known = find(finding, revision);
  return known ? known->variance : RunVariance{};
}

std::vector<RunVisitLogs> RunToRun::visits_of(const Finding& finding,
                                              std::string_view revision) const {
  std::vector<RunVisitLogs> visits;
  if (const Known* const known = find(finding, revision))
    for (const PastValue& value : known->series->values)
      if (const PastRun& run = history_->runs[value.run];
          value.visits > 0 && is_earlier(run) && !are_other_machines(marks_of(run), machine_)) {
        const auto logs = known->series->visits_of(value);
        visits.emplace_back(logs.begin(), logs.end());
      }
  return visits;
}

std::string RunToRun::note(const DecisionRule& rule) const {
  const std::string assumed =
      fmt::format("e assume that whole runs differ by {:.3g} %.", 100 * rule.run_sd);
  if (!history_)
    return "Only one baseline run: w" + assumed +
           " Three earlier runs or more (`--history`) would measure it.";
  const auto runs = std::ranges::count_if(history_->runs, is_earlier);
  const std::string earlier = fmt::format("{} earlier run{}", runs, runs == 1 ? "" : "s");
  if (!is_known())
    return earlier +
           ", too few to measure how much whole runs differ: it takes three or more of the "
           "baseline's device class, measurement revision and cases. W" +
           assumed;
  const auto with_floor = std::ranges::count_if(
      known_, [](const auto& known) { return known.second.variance.floor > 0; });
  const bool is_of_machines = std::ranges::any_of(
      known_, [](const auto& known) { return known.second.variance.is_of_machines; });
  const std::string varies =
      fmt::format("{} measured how much {} values vary from {}", earlier, known_.size(),
                  is_of_machines ? "device to device of the class" : "run to run");
  const auto centered = std::ranges::count_if(
      known_, [](const auto& known) { return known.second.variance.center_runs > 1; });
  const std::string against =
      centered == 0 ? ""
                    : fmt::format(" {} of them are compared with the median of {}.", centered,
                                  is_of_machines ? "those devices"
                                                 : "the baseline and the latest runs at its level");
  if (with_floor == 0)
    return varies + "; from which change on a value counts, takes ten." + against;
  return varies + fmt::format(", and from which change on {} of them count.", with_floor) + against;
}

}  // namespace plumbline
