/// Measures what a plan still lacks into a run directory.
///
/// Connects the scheduler with the writer of runs. Knows no suites, flags or worker programs.
#pragma once

#include <span>
#include <string>

#include "schedule/devices.h"
#include "store/run/run_writer.h"
#include "workflow/talk.h"

namespace plumbline {

/// What a run is measured with; all of it outlives the call.
struct MeasuredWith {
  std::span<const RunDevice> devices;
  std::string root;  // of the git tree with the suites, or ""
  RunListener& listener;
  Interrupt& interrupt;
  RunAll run_all = in_threads;
};

/// Measures the visits of the plan that `plan.measured` lacks. The run stays unfinished: the caller
/// finishes it, unless the result is interrupted. Throws as run_on_devices() and RunWriter do.
ScheduleResult measure_into(RunWriter& run, const Plan& plan, const MeasuredWith& with);

}  // namespace plumbline
