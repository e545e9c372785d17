/// plumbline-gbench: the cases of suites as Google Benchmarks, measured by plumbline's workers in
/// plumbline's rounds, for compare.py and everything else that reads Google Benchmark's JSON.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/error.h"
#include "gbench/benchmarks.h"
#include "gbench/google_benchmark.h"
#include "terminal/console.h"
#include "terminal/exit_codes.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "workflow/run/run_counts.h"
#include "workflow/run/run_in_memory.h"

namespace plumbline {
namespace {

constexpr const char* kFooter =
    "Each case × metric is a benchmark SUITE/CASE/METRIC with manual time, each round one of its "
    "repetitions: the median within a block, the mean over the blocks of a visit. cpu_time is the "
    "bookkeeping's and says nothing of the case. Cases that are not OK are reported as "
    "errors.\nExit codes: 0 measured; 1 a case is WRONG, CRASHED, TIMEOUT or "
    "OUT_OF_MEMORY; 2 a mistake, or no case could be measured; 3 the worker was replaced "
    "meanwhile; 130 interrupted.";

/// The cases of the selected benchmarks.
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
  talk.notes(plan.loaded.notes);
  const Environment& device = plan.info.environment;
  const auto expected = expected_benchmarks(plan.loaded.cases, device.device_kind);
  const auto selected = google.select(expected);
  if (!selected) return kExitOk;

  const std::vector<Case> cases = cases_of(expected, *selected, plan.loaded.cases);
  const RunInMemory measured = run_in_memory(cases, plan, worker, talk);
  if (measured.signal != 0) {
    say("interrupted; nothing is reported\n");
    return kExitSignal + measured.signal;
  }
  google.report(measured_benchmarks(cases, device.device_kind, measured.run), device);
  const std::vector<CaseSummary> rows = summarize(measured.run);
  const RunCounts counts = count_cases(rows, measured.run.info.expected);
  say(fmt::format("{}\n", counts_in_words(counts)));
  require_measured(counts, rows, "", talk);
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
  return run_program("plumbline-gbench", [&] { return run_command_line(count, values); });
}
