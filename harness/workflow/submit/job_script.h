/// The bash script of a job: the settings of a submission, and behind them what jobs do, from
/// ci/slurm/.
///
/// Knows no scheduler.
#pragma once

#include <string>

#include "workflow/submit/submission.h"

namespace plumbline {

/// Any text in a setting is one word for bash. `part`: task.sh, judge.sh or confirm.sh. Throws
/// Error if that is not installed.
std::string job_script(const std::string& part, const Submission& submission);

}  // namespace plumbline
