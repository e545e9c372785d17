#include "workflow/judge/ab.h"

#include <filesystem>

#include "analysis/confirm/screen_alone.h"
#include "analysis/confirm/side_code.h"
#include "analysis/estimate/moved_bytes.h"
#include "core/error.h"
#include "core/moment.h"
#include "store/recorded/evidence.h"
#include "store/run/locate.h"
#include "store/verdict/comparison_json.h"
#include "workflow/judge/code_changes.h"
#include "workflow/setup/project.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/sides/control_runs.h"

namespace plumbline {
namespace {

Project project_of(const RunRequest& run) {
  const auto& suites = run.suite.suites;
  const bool is_file = !suites.empty() && std::filesystem::exists(suites.front());
  return find_project(is_file ? suites.front() : ".", run);
}

/// The folder of the pairs: as the request says, else a new one in the project's folder of runs.
std::string folder_of(const RunRequest& run, const Project& project, const Side& candidate) {
  if (!run.output.empty()) return run.output;
  require_project_within_tree(project, run);  // a build may have made links
  return new_run_directory(project.places.runs, now_utc(), candidate.commit, "ab");
}

/// Removes a folder at its end if nothing was written into it: the pairs were refused.
class UnlessEmpty {
 public:
  explicit UnlessEmpty(std::string folder) : folder_(std::move(folder)) {}
  UnlessEmpty(const UnlessEmpty&) = delete;
  UnlessEmpty& operator=(const UnlessEmpty&) = delete;
  ~UnlessEmpty() {
    std::error_code holds_files;
    std::filesystem::remove(folder_, holds_files);
  }

 private:
  std::string folder_;
};

}  // namespace

void require_no_rounds(const RunRequest& run) {
  if (run.suite.policy.contains("rounds"))
    throw Error("--rounds: how many pairs are measured is said by --looks");
}

AbResult measure_ab(AbRequest request, Talk& talk) {
  require_no_rounds(request.run);
  check_sandbox(request.run, talk);
  const Project project = project_of(request.run);
  request.run.worker.device = wanted_device(request.run.worker, project);
  request.pairs.take_defaults(project.thresholds);
  const Sides sides = find_sides(
      {{request.a, request.b}, request.run.suite.suites, request.run.worker, request.sides}, talk);
  if (sides.signal != 0) return {sides.signal, {}, {}};
  talk.notes(sides.notes);
  const std::string folder = folder_of(request.run, project, sides.sides[1]);
  const UnlessEmpty kept(folder);
  const PairedRequest pairs{{&sides.sides[0], &sides.sides[1]},
                            request.run,
                            {},
                            request.pairs,
                            folder,
                            request.command,
                            /*keeps_code=*/true};
  PairedRun measured = run_in_pairs(pairs, talk);
  if (measured.signal != 0) return {measured.signal, folder, {}};
  Comparison comparison = comparison_of(measured, pairs);
  say_why(comparison);
  explain(comparison, measured.runs[0], measured.runs[1]);
  note_costs_that_are_off(measured.runs[1], comparison);
  comparison.is_ab = true;
  check_itself(measured, judged_cases(measured), comparison);
  keep_controls(comparison, folder, talk);
  const std::string file = folder + "/comparison.json";
  write_comparison(comparison, file);  // disassembling can be interrupted
  add_code_changes(measured.runs, pairs.sides, comparison);
  write_comparison(comparison, file);
  return {
      0, folder, {std::move(measured.runs[1]), std::move(measured.runs[0]), std::move(comparison)}};
}

}  // namespace plumbline
