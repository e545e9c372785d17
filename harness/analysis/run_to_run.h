/// What each case of a run varies by from run to run, as earlier runs of its kind show.
///
/// Looked up by case, metric and revision of the problem. Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "analysis/comparison.h"
#include "analysis/history.h"

namespace plumbline {

class RunToRun {
 public:
  /// `history` may be null: nothing is known. Runs of another device class or another meaning of
  /// the metrics than the baseline's do not count.
  RunToRun(const History* history, const RunInfo& baseline);
  std::size_t size() const { return known_.size(); }
  /// 0 degrees of freedom where it is not known.
  RunVariance of(const Finding& finding, std::string_view revision) const;

 private:
  std::map<std::tuple<std::string, std::string, std::string, std::string>, RunVariance> known_;
};

}  // namespace plumbline
