/// What each case of a run varies by from run to run, as earlier runs of its kind show, and what
/// their visits were.
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
  /// `history` may be null: nothing is known. Runs of another device class or another meaning of
  /// the metrics than the baseline's do not count.
  RunToRun(const History* history, const RunInfo& baseline);
  /// Whether anything is learned of a case.
  bool is_known() const { return !known_.empty(); }
  /// 0 degrees of freedom where it is not known.
  RunVariance of(const Finding& finding, std::string_view revision) const;
  /// Of the earlier runs on the baseline's very machine, without either side, in the order of time.
  std::vector<RunVisitLogs> visits_of(const Finding& finding, std::string_view revision) const;
  /// What was learned from how many runs; `rule`'s where nothing was.
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
