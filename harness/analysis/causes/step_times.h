/// What a step of a program gained or lost: the times of a captured suite's cases, each multiplied
/// by its calls in the step.
///
/// Calls are counted as the candidate records them. Each case counts with one metric:
/// gpu_time_cold, else gpu_time_hot, else wall_time. Changes are those of the findings, after
/// shifts of the run are removed; their errors count as independent of one another.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "analysis/estimate/estimate.h"
#include "core/run/run.h"

namespace plumbline {

/// One case's share of a step: seconds of all its calls there.
struct StepPart {
  std::string case_id;
  double calls = 0;
  double baseline_s = 0, candidate_s = 0;
};

/// A step, or one phase of it. For a single run, both sides are the same.
struct StepTime {
  std::string suite, step;
  std::string phase;                       // "" = the whole step
  std::vector<StepPart> parts;             // largest change first, then longest time
  std::size_t untimed = 0;                 // cases without a time on both sides
  double baseline_s = 0, candidate_s = 0;  // sums of the parts
  std::optional<double> half_width_s{};    // of the difference; nothing if a part has no interval
  double measured_s = kUnknown;            // of the program's whole step; unknown for phases
  bool is_busy_time = false;               // measured_s is the busy time of the GPU alone

  double change() const { return candidate_s / baseline_s - 1; }
  /// True if the interval excludes zero.
  bool has_changed() const;
  /// Fraction of the program's measured step that the cases add up to; NaN if it was not measured.
  double coverage() const { return baseline_s / measured_s; }
};

/// One entry for each step and, where a step has several phases, one for each phase. Empty without
/// a captured suite.
std::vector<StepTime> step_times(const Comparison& comparison);
std::vector<StepTime> step_times(const Run& run);
/// The same of a run's record and its summaries.
std::vector<StepTime> step_times(const RunInfo& info, std::span<const CaseSummary> rows);

}  // namespace plumbline
