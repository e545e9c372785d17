/// Measures suites into a run directory: the command `run`, and the first step of `check`.
///
/// Judges nothing.
#pragma once

#include <string>
#include <vector>

#include "analysis/estimate/estimate.h"
#include "analysis/variance/run_noise.h"
#include "core/error.h"
#include "core/run/run.h"
#include "schedule/scheduler.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

struct RunOutcome {
  int signal = 0;  // the signal that stopped it
  std::string directory;
  ScheduleResult schedule;
  // If nothing stopped it:
  Run run;  // its record; the rows are in the directory, since they may not fit into memory
  std::vector<CaseSummary> summaries;  // as in summary.csv
  RunNoise noise;                      // by the default rule of its device
  std::string costs_off;               // costs_that_are_off()
  std::vector<Case> cases;             // the selected cases, in the order of the suites
};

/// The run with its rows, read from its directory. Throws Error.
Run with_rows(const RunOutcome& outcome);

/// The error that stopped a run after its directory was made; the run can be resumed.
class UnfinishedRun : public Error {
 public:
  UnfinishedRun(const std::string& message, std::string directory)
      : Error(message), directory_(std::move(directory)) {}
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

/// What `run_suites` would measure, in a sentence. Starts a worker to ask for its devices; writes
/// nothing. Throws Error.
std::string plan_in_words(const RunRequest& request, const std::vector<std::string>& command,
                          Talk& talk);

/// `command`: as typed; it is recorded. Throws Error.
RunOutcome run_suites(const RunRequest& request, const std::vector<std::string>& command,
                      Talk& talk);

}  // namespace plumbline
