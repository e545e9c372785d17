#include "cli/rerun.h"

#include <fmt/format.h>

#include <filesystem>

#include "analysis/rerun.h"

namespace plumbline {

std::string new_folder_in(const std::string& directory, const std::string& name) {
  const std::string first = directory + "/" + name;
  std::string folder = first;
  for (int number = 2; std::filesystem::exists(folder); ++number)
    folder = fmt::format("{}-{}", first, number);
  return folder;
}

int confirm_by_rerun(const RerunRequest& request, const Doubts& doubts, const Run& baseline,
                     const Run& candidate, const CompareOptions& options, Comparison& comparison) {
  RunFlags flags = request.flags;
  flags.output = new_folder_in(request.directory, "rerun");
  flags.resume = false;
  flags.suite.selection = {};
  for (const CaseKey& key : doubts.flagged) flags.suite.selection.cases.push_back(key.case_id);
  const RunOutcome outcome = run_suites(flags, request.command, request.telling);
  if (!outcome.is_finished) return outcome.exit_code;
  const Run& later = outcome.run;
  const Comparison joint = compare(baseline, with_visits_of(candidate, later),
                                   default_rule(candidate.info.environment.device_kind), options);
  confirm_by_rerun(comparison, doubts, joint, later);
  return 0;
}

}  // namespace plumbline
