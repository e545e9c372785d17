/// One time for each case of a comparison, on both sides: that of a launch in a program.
///
/// gpu_time_cold, else gpu_time_hot, else kernel_time_cold, kernel_time_hot, wall_time. Changes are
/// those of the findings, after shifts of the run are removed.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "analysis/compare/comparison.h"
#include "core/run/case.h"

namespace plumbline {

struct CaseTime {
  std::size_t rank = 0;  // of its metric, 0: the first choice
  double baseline_s = 0, candidate_s = 0;
  std::optional<double> half_width_s{};  // of the change; nothing if it has no interval

  double change() const { return candidate_s / baseline_s - 1; }
};

using CaseTimes = std::map<CaseKey, CaseTime>;

/// Nothing for a metric that is not such a time.
std::optional<std::size_t> rank_as_time(std::string_view metric);

/// Cases that have a time on both sides.
CaseTimes case_times(const Comparison& comparison);

}  // namespace plumbline
