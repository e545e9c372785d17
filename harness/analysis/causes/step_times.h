/// What a step of a program gained or lost: the times of the cases that a captured suite holds,
/// each times its calls in the step.
///
/// Weights are the candidate's. Of several metrics of a case one counts: gpu_time_cold, else
/// gpu_time_hot, else wall_time. Changes are those of the findings, without a shift of the run;
/// their errors count as independent of one another.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/comparison.h"
#include "core/run/run.h"

namespace plumbline {

/// A case's share of a step, in seconds of all its calls there.
struct StepPart {
  std::string case_id;
  double calls = 0;
  double baseline_s = 0, candidate_s = 0;
};

/// A step, or one phase of it. Of a run alone both sides are the same.
struct StepTime {
  std::string suite, step;
  std::string phase;                       // "" = the whole step
  std::vector<StepPart> parts;             // what changed most first, then what takes longest
  std::size_t untimed = 0;                 // cases without a time on both sides
  double baseline_s = 0, candidate_s = 0;  // sums of the parts
  std::optional<double> half_width_s{};    // of the difference; none where a part has no interval
  double measured_s = kUnknown;            // of the program, of whole steps
  bool is_busy_time = false;               // measured: of its GPU alone

  double change() const { return candidate_s / baseline_s - 1; }
  /// Whether its interval leaves zero out.
  bool has_changed() const;
  /// Part of the program's step that the cases' sum comes to, a fraction; unknown where it is.
  double coverage() const { return baseline_s / measured_s; }
};

/// Of each step and, where it has several, of its phases. Empty where no suite was captured.
std::vector<StepTime> step_times(const Comparison& comparison);
std::vector<StepTime> step_times(const Run& run);

}  // namespace plumbline
