#include "workflow/run/rerun.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/confirm/rerun.h"

namespace plumbline {

std::string new_folder_in(const std::string& directory, const std::string& name) {
  const std::string first = directory + "/" + name;
  std::string folder = first;
  for (int number = 2; std::filesystem::exists(folder); ++number)
    folder = fmt::format("{}-{}", first, number);
  return folder;
}

RunOutcome confirm_by_rerun(const RerunRequest& request, const Doubts& doubts, const Run& baseline,
                            const Run& candidate, const CompareOptions& options,
                            Comparison& comparison, Talk& talk) {
  RunRequest flags = request.flags;
  flags.output = new_folder_in(request.directory, "rerun");
  flags.resume = false;
  flags.suite.selection = {};
  for (const CaseKey& key : doubts.flagged) flags.suite.selection.cases.push_back(key.case_id);
  RunOutcome outcome = run_suites(flags, request.command, talk);
  if (outcome.signal != 0) return outcome;
  const Run& later = outcome.run;
  const Comparison joint = compare(baseline, with_visits_of(candidate, later),
                                   default_rule(candidate.info.environment.device_kind), options);
  confirm_by_rerun(comparison, doubts, joint, later);
  return outcome;
}

}  // namespace plumbline
