/// plumbline-gbench: the cases of suites as Google Benchmarks, measured by plumbline's workers in
/// plumbline's rounds, for compare.py and everything else that reads Google Benchmark's JSON.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/command.h"
#include "cli/console.h"
#include "cli/flags.h"
#include "cli/run_output.h"
#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "gbench/benchmarks.h"
#include "gbench/google_benchmark.h"
#include "workflow/plan/run_plan.h"

namespace plumbline {
namespace {

constexpr const char* kFooter =
    "Each case × metric is a benchmark SUITE/CASE/METRIC with manual time, each round one of its\n"
    "repetitions: the median within a block, the mean over the blocks of a visit. cpu_time is the\n"
    "bookkeeping's and says nothing of the case. Cases that are not OK are reported as errors.\n"
    "Exit codes: 0 measured; 1 measured, but a case is WRONG, CRASHED, TIMEOUT or OUT_OF_MEMORY;\n"
    "2 a mistake, or nothing was measured; 130 interrupted.";

/// The log of the workers, which is kept only as long as they may be asked for it.
class ScratchFolder {
 public:
  ScratchFolder() {
    path_ = (std::filesystem::temp_directory_path() / "plumbline-gbench-XXXXXX").string();
    if (!mkdtemp(path_.data())) throw Error("cannot make the folder " + path_);
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The rows of the cases, in memory; nothing where the user interrupts.
std::optional<Run> measure(const std::vector<Case>& cases, const RunPlan& plan,
                           const WorkerProgram& worker, Interrupt& interrupt) {
  Run run;
  run.info = plan.info;
  RunProgress progress(plan.info.expected);
  ScheduleEvents events;
  events.on_visit = [&](const Case& c, std::span<const ResultRow> rows) {
    run.rows.insert(run.rows.end(), rows.begin(), rows.end());
    progress.on_visit(c, rows);
  };
  events.on_progress = [&](const Case& c, const Progress& p) { progress.on_progress(c, p); };
  events.on_note = [&](const std::string& note) { progress.on_note(note); };
  const Plan schedule{cases, plan.info.policy.seed, {}, "", {}, plan.info.environment.device_kind};
  const ScratchFolder scratch;
  const auto devices = run_devices(plan, worker, scratch.path(), interrupt);
  const auto result = run_on_devices(schedule, devices, events, &interrupt);
  if (result.interrupted) return std::nullopt;
  return run;
}

/// The cases that a selected benchmark is about.
std::vector<Case> cases_of(const std::vector<CaseBenchmark>& benchmarks,
                           const std::vector<bool>& selected, const std::vector<Case>& all) {
  std::vector<bool> is_meant(all.size(), false);
  for (std::size_t i = 0; i < benchmarks.size(); ++i)
    if (selected[i]) is_meant[benchmarks[i].subject] = true;
  std::vector<Case> cases;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_meant[i]) cases.push_back(all[i]);
  return cases;
}

int benchmark_cases(const RunRequest& flags, const std::vector<std::string>& google_flags,
                    const std::vector<std::string>& command) {
  GoogleBenchmark google(google_flags);
  const auto files = suite_files(flags.suite.suites);
  const Project project = find_project(files.front(), flags.places);
  const WorkerProgram worker = need_worker(flags.worker, project.worker);
  ConsoleTalk talk;
  const RunPlan plan = plan_run(flags, worker, project, files, command, talk);
  for (const std::string& note : plan.loaded.notes) print_note(note);
  const Environment& device = plan.info.environment;
  const auto expected = expected_benchmarks(plan.loaded.cases, device.device_kind);
  const auto selected = google.select(expected);
  if (!selected) return kExitOk;

  const std::vector<Case> cases = cases_of(expected, *selected, plan.loaded.cases);
  const auto locks = lock_devices(plan.devices, plan.info.command);
  say(fmt::format("{} on {} ({})\n", counted(cases.size(), "case"), device.device_class,
                  device_names(plan)));
  Interrupt interrupt;
  const auto run = measure(cases, plan, worker, interrupt);
  if (!run) {
    say("interrupted; nothing is reported\n");
    return kExitSignal + interrupt.signal_number();
  }
  google.report(measured_benchmarks(cases, device.device_kind, *run), device);
  const std::vector<CaseSummary> rows = summarize(*run);
  const RunCounts counts = count_cases(rows, run->info.expected);
  say(fmt::format("{}\n", counts_in_words(counts)));
  require_measured(counts, rows, "");
  return counts.failed > 0 ? kExitRegression : kExitOk;
}

int run_command_line(int count, char** values) {
  std::vector<std::string> command{"plumbline-gbench"}, words, google_flags;
  command.insert(command.end(), values + 1, values + count);
  for (int i = count - 1; i > 0; --i)  // CLI11 takes words from the end
    if (!is_google_flag(values[i])) words.emplace_back(values[i]);
  std::copy_if(command.begin() + 1, command.end(), std::back_inserter(google_flags),
               is_google_flag);
  CLI::App app("The cases of suites as Google Benchmarks, measured as `plumbline run` does.",
               "plumbline-gbench");
  RunRequest flags;
  add_suite_flags(app, flags.suite);
  add_policy_flags(app, flags.suite);
  add_worker_flags(app, flags.worker);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);
  try {
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    print_result(app.help() + "\n");
    print_google_help();
    return kExitOk;
  } catch (const CLI::ParseError& error) {
    throw Error(std::string(error.what()) + "; see plumbline-gbench --help");
  }
  return benchmark_cases(flags, google_flags, command);
}

}  // namespace
}  // namespace plumbline

int main(int count, char** values) {
  using namespace plumbline;
  reserve_standard_descriptors();
  try {
    return run_command_line(count, values);
  } catch (const Error& error) {
    say(fmt::format("{} {}\n", coloured("error:", Colour::red, 2), visible(error.what())));
  } catch (const std::exception& error) {
    say(fmt::format("{} {}; this is a fault of plumbline-gbench\n",
                    coloured("internal error:", Colour::red, 2), error.what()));
  }
  return kExitInput;
}
