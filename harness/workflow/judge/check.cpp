#include "workflow/judge/check.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "analysis/confirm/confirm.h"
#include "analysis/confirm/screen_alone.h"
#include "analysis/confirm/side_code.h"
#include "analysis/estimate/moved_bytes.h"
#include "core/words.h"
#include "store/recorded/evidence.h"
#include "store/run/run_json.h"
#include "store/run/run_reader.h"
#include "store/verdict/comparison_json.h"
#include "workflow/judge/accept.h"
#include "workflow/judge/code_changes.h"
#include "workflow/judge/compare_runs.h"
#include "workflow/judge/ledger.h"
#include "workflow/results/input_runs.h"
#include "workflow/run/later_run.h"
#include "workflow/setup/run_plan.h"
#include "workflow/setup/sandbox_view.h"
#include "workflow/sides/accepted_side.h"
#include "workflow/sides/control_runs.h"
#include "workflow/sides/side_libraries.h"

namespace plumbline {
namespace {

namespace fs = std::filesystem;

/// A new folder `name` in the run. A folder that an interrupted call left stays and is not used.
std::string new_folder_in(const std::string& directory, const std::string& name) {
  const std::string first = directory + "/" + name;
  std::string folder = first;
  for (int number = 2; fs::exists(folder); ++number) folder = fmt::format("{}-{}", first, number);
  return folder;
}

/// Reports mistakes in inputs that are needed only after minutes of measuring.
void require_inputs(const CheckRequest& request, const std::string& baselines) {
  if (!request.baseline.empty() && !fs::exists(request.baseline))
    throw Error("--baseline " + request.baseline + ": there is no such run or file");
  require_readable_ledger(baselines);
  for (std::size_t i = 0; i < 2; ++i)
    variables_of(i == 0 ? "--a-env" : "--b-env", request.sides.sides[i].variables);
  const SideOptions& a = request.sides.sides[0];
  if (!request.baseline_side && !(a.variables.empty() && a.worker.empty() && a.libraries.empty()))
    throw Error(
        "--a-env, --a-libs, --a-worker: they are about the baseline's side; name it with "
        "--baseline-ref or --baseline-tree");
}

/// What the steps share. Each step returns the signal that stopped it, or 0.
class Gate {
 public:
  Gate(CheckRequest request, Talk& talk) : request_(std::move(request)), talk_(talk) {}

  CheckResult run(const std::function<void(const RunOutcome&)>& on_run) {
    check_sandbox(request_.run, talk_);
    const auto files = suite_files(request_.run);
    const Project project = find_project(files.front(), request_.run);
    request_.run.worker.device = wanted_device(request_.run.worker, project);
    const Thresholds said{request_.pairs.margin, request_.pairs.effect_floor, {}};
    thresholds_ = with_defaults(said, project.thresholds);
    request_.pairs.take_defaults(project.thresholds);
    result_.history = project.history;
    result_.baselines = request_.baseline.empty() ? project.places.baselines : request_.baseline;
    require_inputs(request_, result_.baselines);
    result_.signal = prepare_sides(files.front(), project.worker);
    if (result_.signal == 0) result_.signal = measure(files, project, on_run);
    if (result_.signal == 0) result_.signal = judge();
    if (comparison_) conclude();
    return std::move(result_);
  }

 private:
  const Run& candidate() const { return *result_.judged.candidate; }
  const Run& baseline() const { return *result_.judged.baseline; }

  /// Finds and builds the sides.
  int prepare_sides(const std::string& suite, const std::string& project_worker) {
    RunRequest& run = request_.run;
    if (request_.baseline_side) {
      sides_ = find_sides(
          {{*request_.baseline_side, SideName{}}, run.suite.suites, run.worker, request_.sides},
          talk_);
      talk_.notes(sides_->notes);
      if (sides_->signal != 0) return sides_->signal;
      run.worker.worker = sides_->sides[1].worker.path();
      run.worker.variables = sides_->sides[1].worker.variables();
      return 0;
    }
    const SideOptions& b = request_.sides.sides[1];
    if (!b.worker.empty()) run.worker.worker = b.worker;
    run.worker.variables = variables_of("--b-env", b.variables);
    if (!b.libraries.empty())
      run.worker.variables =
          with_libraries("--b-libs", b.libraries, need_worker(run.worker, project_worker).path(),
                         std::move(run.worker.variables));
    if (request_.sides.skips_build) return 0;
    return build_project_of(fs::absolute(suite).parent_path().lexically_normal().string(),
                            request_.sides.build, run.worker, talk_);
  }

  /// Measures, or resumes a run that was interrupted. A finished run is not measured again: the
  /// earlier call was interrupted before it was judged.
  int measure(const std::vector<std::string>& files, const Project& project,
              const std::function<void(const RunOutcome&)>& on_run) {
    const RunRequest& run = request_.run;
    const std::string path = run.output + "/run.json";
    const RunInfo started = run.resume && fs::exists(path) ? read_run_json(path).info : RunInfo{};
    if (started.finished_at.empty()) {
      const RunOutcome outcome = run_suites(run, request_.command, talk_);
      on_run(outcome);
      result_.directory = outcome.directory;
      result_.judged.candidate = outcome.signal == 0 ? with_rows(outcome) : Run{};
      return outcome.signal;
    }
    WorkerProgram worker = need_worker(run.worker, project.worker);
    worker.show(files);
    check_same_run(started, plan_run(run, worker, project, files, request_.command, talk_).info);
    talk_.note(run.output + " is already measured; it is only judged now");
    result_.directory = run.output;
    result_.judged.candidate = read_run(run.output);
    return 0;
  }

  int judge() {
    if (!request_.baseline.empty() || fs::exists(result_.baselines))
      if (auto found = read_baseline(fs::absolute(result_.baselines).string(), candidate()))
        return judge_by_baseline(std::move(*found));
    return sides_ ? judge_in_pairs() : 0;
  }

  int judge_by_baseline(Baseline found) {
    talk_.notes(found.run.warnings);
    DecisionRule rule = screen_rule(candidate().info.environment.device_kind, thresholds_);
    rule.control_share = request_.pairs.control_share;
    Screen screened = screen(found, candidate(), rule, result_.history, talk_);
    result_.judged.baseline = std::move(found.run);
    Comparison& comparison = screened.comparison;
    Doubts doubts = cases_in_doubt(comparison, {}, std::uint64_t(candidate().info.policy.seed));
    if (sides_) doubts.unaccepted = cases_of_other_code(comparison, baseline(), sides_->sides[0]);
    int signal = 0;
    if (sides_ && !doubts.all().empty()) {
      signal = confirm_in_pairs(doubts, screened);
      if (signal != 0) return signal;
    } else if (request_.measures_again && !doubts.flagged.empty()) {
      const LaterRequest later{request_.run, request_.command,
                               new_folder_in(result_.directory, "rerun")};
      signal = confirm_by_later_run(later, doubts, baseline(), candidate(), screened.options,
                                    comparison, talk_);
      if (signal != 0) return signal;
    } else if (!doubts.flagged.empty()) {
      comparison.notes.push_back(
          fmt::format("{} in doubt, not measured again: name the baseline's side with "
                      "--baseline-tree or --baseline-ref, or have them measured again by this side "
                      "alone with --rerun, which is weaker.",
                      counted(doubts.flagged.size(), "case")));
    }
    comparison_ = std::move(comparison);
    return signal;
  }

  /// Pairs of the sides, in a new folder in the run's directory.
  PairedRequest pairs() const {
    PairedRequest request{{&sides_->sides[0], &sides_->sides[1]},
                          request_.run,
                          {},
                          request_.pairs,
                          new_folder_in(result_.directory, "pairs"),
                          request_.command,
                          /*keeps_code=*/true};
    // Pairs use one device: the first if there are several.
    const std::string devices = candidate().info.environment.device_uuid();
    if (devices.find(',') != std::string::npos)
      request.run.worker.device = devices.substr(0, devices.find(','));
    return request;
  }

  /// Measures the cases in doubt in pairs. Returns the signal that stopped them, or 0.
  int confirm_in_pairs(const Doubts& doubts, Screen& screened) {
    PairedRequest request = pairs();
    request.cases = doubts.all();
    request.bystanders = doubts.audited;
    PairedRun measured = run_in_pairs(request, talk_);
    if (measured.signal != 0) return measured.signal;
    Comparison& comparison = screened.comparison;
    const SideCode code = compare_code(baseline(), candidate(),
                                       paired_sides(measured, request.sides), screened.options);
    confirm(comparison, doubts, measured.trial, measured.runs, code);
    refuse(code, comparison);
    note_placements(measured, comparison);
    tell_unpaired(measured, sides_->sides[0].name, comparison);
    // Flagged cases are not representative; audited cases are.
    check_itself(measured, doubts.audited, comparison);
    paired_ = std::move(measured.runs);
    return 0;
  }

  /// Without an accepted result, the pairs judge every case of the run. Returns the same.
  int judge_in_pairs() {
    const PairedRequest request = pairs();
    PairedRun measured = run_in_pairs(request, talk_);
    if (measured.signal != 0) return measured.signal;
    Comparison comparison = comparison_of(measured, request);
    comparison.notes.insert(comparison.notes.begin(),
                            "No baseline is accepted: every case was measured in pairs with " +
                                sides_->sides[0].name + ".");
    check_itself(measured, judged_cases(measured), comparison);
    paired_ = std::move(measured.runs);
    result_.judged.baseline = paired_[0];
    result_.judged.candidate = paired_[1];
    comparison_ = std::move(comparison);
    return 0;
  }

  /// Adds what is known besides the numbers, and writes the verdict.
  void conclude() {
    if (!request_.trusts_screen) hold_screen(*comparison_);
    say_why(*comparison_);
    if (fs::exists(result_.baselines)) apply_ledger_of(result_.baselines, *comparison_);
    keep_controls(*comparison_, result_.directory, talk_);
    explain(*comparison_, baseline(), candidate(), &paired_[0], &paired_[1]);
    note_costs_that_are_off(candidate(), *comparison_);
    add_refusal(candidate(), *comparison_);
    const std::string file = result_.directory + "/comparison.json";
    write_comparison(*comparison_, file);
    if (!paired_[0].path.empty()) {  // disassembling can be interrupted
      add_code_changes(paired_, {&sides_->sides[0], &sides_->sides[1]}, *comparison_);
      write_comparison(*comparison_, file);
    }
    result_.judged.comparison = std::move(comparison_);
  }

  CheckRequest request_;
  Thresholds thresholds_;
  Talk& talk_;
  std::optional<Sides> sides_;
  std::array<Run, 2> paired_;  // without rows if none were measured
  std::optional<Comparison> comparison_;
  CheckResult result_;
};

}  // namespace

CheckResult check(CheckRequest request, Talk& talk,
                  const std::function<void(const RunOutcome&)>& on_run) {
  return Gate(std::move(request), talk).run(on_run);
}

}  // namespace plumbline
