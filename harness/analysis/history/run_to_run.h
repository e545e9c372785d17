/// How far each case varies between runs, as earlier runs show, and the visits of those runs.
///
/// Looked up by case, metric, unit and revision of the problem. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/history/history.h"
#include "analysis/variance/other_device.h"

namespace plumbline {

class RunToRun {
 public:
  /// `history` may be null: then nothing is known. Runs of another device class, or with another
  /// meaning of the metrics, than the baseline's do not count.
  RunToRun(const History* history, const RunInfo& baseline);
  /// True if something is known about any case.
  bool is_known() const { return !known_.empty(); }
  /// The variance of the finding's case; 0 degrees of freedom if it is unknown.
  RunVariance of(const Finding& finding, std::string_view revision) const;
  /// Visits of earlier runs on the baseline's machine, without either side, in order of time.
  std::vector<RunVisitLogs> visits_of(const Finding& finding, std::string_view revision) const;
  /// What was learned from how many runs; describes `rule` if nothing was.
  std::string note(const DecisionRule& rule) const;

 private:
  struct Known {
    RunVariance variance;
    const Series* series = nullptr;
  };
  const Known* find(const Finding& finding, std::string_view revision) const;

  const History* history_;
  MachineMarks machine_;
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Known>
      known_;
};

}  // namespace plumbline
