#include "workflow/sides/control_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <ranges>
#include <utility>

#include "analysis/confirm/controls.h"
#include "store/run/run_json.h"
#include "store/verdict/controls_json.h"
#include "workflow/sides/paired_run.h"

namespace plumbline {
namespace {

std::string results_of_candidate(const Comparison& comparison) {
  const std::string& path = comparison.candidate_path;
  if (!std::filesystem::exists(path + "/results.csv")) return "";  // baselines have no folder
  return results_hash(read_run_json(path + "/run.json").results, path);
}

}  // namespace

bool run_alike(const Side& a, const Side& b) {
  const auto have_same_bytes = [](const std::string& one, const std::string& other) {
    return one == other || hash_of_file(one).text() == hash_of_file(other).text();
  };
  return a.worker.variables() == b.worker.variables() &&
         std::ranges::equal(a.worker.extensions(), b.worker.extensions(), have_same_bytes) &&
         a.worker.hash() == b.worker.hash();
}

std::vector<std::size_t> control_order(const PairPlan& plan) {
  const std::uint64_t seed = stable_hash("controls", std::uint64_t(plan.plan.seed));
  std::map<double, std::size_t> drawn;
  for (std::size_t i = 0; i < plan.plan.cases.size(); ++i) {
    const Case& c = plan.plan.cases[i];
    if (plan.declared[0].empty() || (plan.declared[0][i] && plan.declared[1][i]))
      drawn.emplace(draw({c.suite, c.id}, seed), i);
  }
  const auto positions = std::views::values(drawn);
  return {positions.begin(), positions.end()};
}

RunWriter& ControlRuns::writer(PairSide side) {
  for (std::size_t i = 0; i < writers_.size(); ++i) {
    if (writers_[i]) continue;
    writers_[i] = std::make_unique<RunWriter>(folder_ + "/" + "ab"[i], info_);
    for (const WorkerRecord& worker : workers_[i]) writers_[i]->record_worker(worker);
  }
  return *writers_[std::size_t(side)];
}

void ControlRuns::record_worker(PairSide side, const WorkerRecord& record) {
  const auto& writer = writers_[std::size_t(side)];
  if (writer)
    writer->record_worker(record);
  else
    workers_[std::size_t(side)].push_back(record);
}

void ControlRuns::append_visit(PairSide side, std::span<const ResultRow> rows) {
  writer(side).append_visit(rows);
}

std::set<CaseKey> ControlRuns::decided(const PairedTrial& sides) const {
  std::set<CaseKey> keys;
  if (!has_runs()) return keys;
  for (const auto& [key, outcome] : control_outcomes({run(PairSide::a), run(PairSide::b), sides}))
    if (outcome.is_decided) keys.insert(key);
  return keys;
}

void ControlRuns::finish(const std::string& finished_at) {
  for (const auto& writer : writers_)
    if (writer) writer->finish(finished_at);
}

void check_itself(const PairedRun& measured, const std::set<CaseKey>& planted,
                  Comparison& comparison) {
  const double share = comparison.rule.control_share;
  if (!(share > 0)) return;
  const auto seed = std::uint64_t(comparison.candidate.policy.seed);
  const ControlRuns& controls = *measured.controls;
  const MeasuredPairs sides{measured.runs[0], measured.runs[1], measured.trial};
  std::optional<MeasuredPairs> beside;
  if (controls.has_runs())
    beside.emplace(controls.run(PairSide::a), controls.run(PairSide::b), measured.trial);
  SelfCheck check = check_pairs(beside ? &*beside : nullptr, sides, planted, seed);
  if (check.alarms.cases == 0)
    comparison.notes.push_back(
        measured.has_controls
            ? fmt::format(
                  "No control was measured (the baseline's side against itself): {:.3g} % of the "
                  "pairs' time (--controls) is too little for {} pairs of a case.",
                  100 * share, measured.trial.rule().looks.front())
            : "The baseline's side was not measured against itself: the sides' workers differ. "
              "`plumbline ab` with that side twice does so.");
  if (comparison.self_check) {
    check.controls += ", after a screen";
    check.in_doubt = std::move(comparison.self_check->own.in_doubt);
    check.nights = comparison.self_check->own.nights;
    check.of_nights = comparison.self_check->own.of_nights;
  }
  comparison.self_check = pooled(std::move(check), {});
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
