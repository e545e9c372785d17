#include "cli/run_suites.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <utility>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/run_output.h"
#include "cli/run_plan.h"
#include "core/error.h"
#include "schedule/clock_keeper.h"
#include "store/summary.h"

namespace plumbline {
namespace {

constexpr int kExitSignal = 128;
constexpr std::size_t kMostTableLines = 200;

/// The run's directory, made or taken up again, and what it holds already.
struct OpenRun {
  RunWriter writer;
  std::vector<ResultRow> measured;
};

OpenRun open_run(const RunFlags& flags, RunPlan& plan) {
  if (flags.resume) {
    if (flags.output.empty()) throw Error("--resume needs -o DIR, the run to go on with");
    RunWriter::Resumed resumed = RunWriter::resume(flags.output);
    check_same_run(resumed.writer.info(), plan.info);
    for (const std::string& warning : resumed.writer.run().warnings) print_note(warning);
    std::vector<ResultRow> measured = resumed.writer.run().rows;
    return {std::move(resumed.writer), std::move(measured)};
  }
  plan.info.started_at = now_utc();
  const std::string path =
      !flags.output.empty()
          ? flags.output
          : new_run_directory(plan.project.places.runs, plan.info.started_at,
                              plan.info.environment.commit, device_slug(plan.info.environment));
  return {RunWriter(path, plan.info), {}};
}

/// The command that goes on with this run.
std::string resume_command(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--resume") continue;
    const bool is_output = command[i] == "-o" || command[i] == "--output";
    if (is_output) ++i;
    if (is_output || command[i].starts_with("--output=")) continue;
    words.push_back(command[i]);
  }
  words.insert(words.end(), {"-o", directory, "--resume"});
  return shell_command(words);
}

ScheduleResult measure(OpenRun& run, const RunPlan& plan, const WorkerProgram& worker,
                       Interrupt& interrupt) {
  RunProgress progress(plan.info.expected);
  ScheduleEvents events;
  events.on_visit = [&](const Case& c, std::span<const ResultRow> rows) {
    run.writer.append_visit(rows);
    progress.on_visit(c, rows);
  };
  events.on_files = [&](const Case& c, std::span<const FileRef> files) {
    run.writer.record_files(c.suite, recorded_files(files, plan.root));
  };
  events.on_progress = [&](const Case& c, const Progress& p) { progress.on_progress(c, p); };
  events.on_note = [&](const std::string& note) { progress.on_note(note); };
  events.on_worker = [&](const WorkerRecord& record) { run.writer.record_worker(record); };
  const Plan schedule{plan.loaded.cases, plan.info.policy.seed,
                      plan.shard,        "",
                      run.measured,      plan.info.environment.device_kind};
  const auto devices = run_devices(plan, worker, run.writer.path(), interrupt);
  const auto result = run_on_devices(schedule, devices, events, &interrupt);
  progress.end();
  return result;
}

/// The table, in the order of the suites, and the counts of a finished run; its exit code.
/// `is_result`: of the command, and so for standard output.
int tell_results(const std::string& directory, const std::vector<Case>& cases,
                 std::span<const ExpectedFailure> expected, const ScheduleResult& result,
                 bool is_result, bool is_judged) {
  const auto tell = [&](const std::string& text) { is_result ? print_text(text) : say(text); };
  Summary summary = read_summary(directory);
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> positions;
  for (const Case& c : cases)
    positions.emplace(std::pair<std::string_view, std::string_view>(c.suite, c.id),
                      positions.size());
  std::ranges::stable_sort(summary.rows, {}, [&](const CaseSummary& row) {
    return positions[{row.suite, row.case_id}];
  });
  const RunCounts counts = count_cases(summary.rows, expected);
  tell(summary_table(summary.rows, expected, kMostTableLines));
  say(fmt::format("{}\n", counts_in_words(counts)));
  for (const std::string& sentence : outlived_expectations(summary.rows, expected))
    print_note(sentence);
  if (counts.failed > 0)
    say(fmt::format("{} {} not do what {} should; the reasons are in {}/results.csv\n",
                    coloured(counted(counts.failed, "case"), Colour::red, STDERR_FILENO),
                    counts.failed == 1 ? "does" : "do", counts.failed == 1 ? "it" : "they",
                    directory));
  if (result.visits > 0) say(fmt::format("{}\n", time_in_words(result)));
  tell(directory + "\n");
  if (!is_judged || counts.failed == 0) require_measured(counts, summary.rows, " of " + directory);
  return counts.failed > 0 ? kExitRegression : kExitOk;
}

/// Keepers of the clocks that the user asked to lock; they restore them when they are gone.
std::vector<std::unique_ptr<ClockKeeper>> lock_clocks(const RunFlags& flags, RunPlan& plan,
                                                      const WorkerProgram& worker) {
  std::vector<std::unique_ptr<ClockKeeper>> keepers;
  if (flags.lock_clocks.empty()) return keepers;
  for (const Device& device : plan.devices) {
    if (device.environment.device_kind != "cuda")
      throw Error("--lock-clocks " + flags.lock_clocks + ": " + device.name +
                  " is no GPU; only GPUs have an SM clock to lock");
    keepers.push_back(std::make_unique<ClockKeeper>(
        KeeperCommand{.worker = worker.path(),
                      .clock = flags.lock_clocks,
                      .device_uuid = device.environment.device_uuid}));
    const ClockKeeper& keeper = *keepers.back();
    if (!keeper.left_behind().empty()) print_note(keeper.left_behind());
    if (keeper.observed_hz())
      print_note(fmt::format("the SM clock of {} is locked; the driver tells {:.0f} MHz",
                             device.name, *keeper.observed_hz() / 1e6));
  }
  plan.info.environment.clocks_locked =
      flags.lock_clocks == "base" ? "base" : flags.lock_clocks + " MHz";
  return keepers;
}

}  // namespace

RunOutcome run_suites(const RunFlags& flags, const std::vector<std::string>& command,
                      const RunTelling& telling) {
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), flags.places);
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  RunPlan plan = plan_run(flags, worker, project, files, command);
  for (const std::string& note : plan.loaded.notes) print_note(note);
  const Environment& device = plan.info.environment;
  const auto locks = lock_devices(plan.devices, plan.info.command);
  const auto keepers = lock_clocks(flags, plan, worker);
  Interrupt interrupt;  // before there is anything to go on with
  OpenRun run = open_run(flags, plan);
  const std::string directory = run.writer.path();
  say(fmt::format("{} on {} ({}), into {}\n", counted(plan.loaded.cases.size(), "case"),
                  device.device_class, device_names(plan), directory));
  const auto how_to_resume = [&] {
    return "nothing of it is lost; go on with:\n  " + resume_command(command, directory);
  };
  ScheduleResult result;
  try {
    result = measure(run, plan, worker, interrupt);
    if (result.interrupted) {
      say(fmt::format("interrupted after {}; {}\n", counted(result.visits, "visit"),
                      how_to_resume()));
      return {kExitSignal + interrupt.signal_number(), directory, false, {}};
    }
    run.writer.finish(now_utc());
    for (const auto& keeper : keepers)
      if (const std::string what = keeper->release(); !what.empty()) print_note(what);
  } catch (const Error& error) {
    throw Error(std::string(error.what()) + "\nthe run is not finished; " + how_to_resume());
  }
  return {tell_results(directory, plan.loaded.cases, plan.info.expected, result, telling.is_result,
                       telling.is_judged),
          directory, true, run.writer.run()};
}

}  // namespace plumbline
