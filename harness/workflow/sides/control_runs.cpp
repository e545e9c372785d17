#include "workflow/sides/control_runs.h"

#include <filesystem>
#include <utility>

#include "analysis/confirm/controls.h"
#include "store/run/run_json.h"
#include "store/verdict/controls_json.h"

namespace plumbline {
namespace {

std::string results_of_candidate(const Comparison& comparison) {
  const std::string& path = comparison.candidate_path;
  if (!std::filesystem::exists(path + "/results.csv")) return "";  // a baseline's are no folder's
  return results_hash(read_run_json(path + "/run.json").results, path);
}

}  // namespace

int measure_controls(PairedRequest request, const PairedRun& measured,
                     const std::set<CaseKey>& planted, Comparison& comparison, Talk& talk) {
  const auto seed = std::uint64_t(comparison.candidate.policy.seed);
  const std::set<CaseKey> cases = control_cases(comparison, comparison.rule.control_share, seed);
  if (cases.empty()) return 0;
  request.sides[1] = request.sides[0];
  request.folder += "/controls";
  request.cases = cases;
  const PairedRun control = run_in_pairs(std::move(request), talk);
  if (control.signal != 0) return control.signal;
  if (control.runs[0].rows.empty()) return 0;  // the baseline's side has none of them
  SelfCheck check =
      check_pairs({control.runs[0], control.runs[1], control.trial},
                  {measured.runs[0], measured.runs[1], measured.trial}, planted, seed);
  if (comparison.self_check) {
    check.controls += ", after a screen";
    check.in_doubt = std::move(comparison.self_check->own.in_doubt);
  }
  comparison.self_check = pooled(std::move(check), {});
  return 0;
}

void add_earlier_controls(Comparison& comparison, const std::string& runs, const std::string& own,
                          Talk& talk) {
  if (!comparison.self_check || runs.empty()) return;
  const EarlierControls earlier =
      read_controls(runs, comparison.candidate, own, results_of_candidate(comparison));
  talk.notes(earlier.notes);
  comparison.self_check = pooled(std::move(comparison.self_check->own), earlier.checks);
}

void keep_controls(Comparison& comparison, const std::string& folder, Talk& talk) {
  if (!comparison.self_check) return;
  const auto whole = std::filesystem::absolute(folder).lexically_normal();
  add_earlier_controls(comparison,
                       (whole.has_filename() ? whole : whole.parent_path()).parent_path().string(),
                       folder, talk);
  write_controls(comparison.self_check->own, comparison.candidate, results_of_candidate(comparison),
                 folder);
}

}  // namespace plumbline
