/// plumbline attach: runs any program that uses CUDA, and measures its kernels and NVTX ranges.
#include "workflow/run/attach.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "analysis/estimate/estimate.h"
#include "cli/command.h"
#include "cli/measure/ab_result.h"
#include "cli/pair_flags.h"
#include "cli/program_words.h"
#include "core/visible.h"
#include "reports/units.h"
#include "terminal/console.h"
#include "terminal/flags.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/judge/attach_pairs.h"

namespace plumbline {
namespace {

struct AttachFlags {
  AttachRequest request;
  std::string program_a;  // the baseline's program, for a shell; "" = no pairs
  PairFlags pairs;
};

/// A case in a few numbers.
struct ShownCase {
  std::string id, unit = "s";
  double time_s = kUnknown, spread = kUnknown, launches = kUnknown;
  double total_s() const { return time_s * launches; }
};

/// Kernels and ranges, those that take most time first.
std::vector<ShownCase> shown_cases(const Run& run) {
  std::map<std::string, ShownCase> cases;
  for (const CaseSummary& row : summarize(run)) {
    ShownCase& shown = cases[row.case_id];
    shown.id = row.case_id;
    if (row.metric == "launches") shown.launches = row.estimate;
    if (row.metric != "kernel_time_attached" && row.metric != "range_time") continue;
    shown.time_s = row.estimate;
    shown.spread = row.visit_sd;
  }
  std::vector<ShownCase> all;
  for (auto& [id, shown] : cases)
    if (!std::isnan(shown.total_s())) all.push_back(std::move(shown));
  std::ranges::stable_sort(all, std::ranges::greater{}, &ShownCase::total_s);
  return all;
}

std::string table_of(const Run& run) {
  constexpr std::size_t kMost = 40;
  Table table({{"case", Fit::id},
               {"launches", Fit::number},
               {"each", Fit::number},
               {"± runs", Fit::number},
               {"all", Fit::number}});
  const std::vector<ShownCase> cases = shown_cases(run);
  for (std::size_t i = 0; i < std::min(kMost, cases.size()); ++i) {
    const ShownCase& shown = cases[i];
    table.add({{shown.id},
               {fmt::format("{:.0f}", shown.launches)},
               {quantity_text(shown.time_s, "s", std::nullopt)},
               {std::isnan(shown.spread) ? "" : fmt::format("{:.2f} %", 100 * shown.spread)},
               {quantity_text(shown.total_s(), "s", std::nullopt)}});
  }
  std::string text = table.text();
  if (cases.size() > kMost) text += fmt::format("and {} more\n", cases.size() - kMost);
  return text;
}

int code_of(const ProcessEnd& end) {
  return end.signal != 0 ? kExitSignal + end.signal : end.exit_code;
}

bool is_failed(const ProcessEnd& end) { return code_of(end) != 0; }

int tell(const AttachOutcome& outcome) {
  for (const std::string& note : outcome.notes) print_note(note);
  print_text(table_of(outcome.run));
  print_result(outcome.directory + "\n");
  if (is_failed(outcome.end))
    say_error("error: the program " + outcome.end.words() +
              ". Its case is marked so; what was measured until then is kept\n");
  return code_of(outcome.end);
}

int attach_and_tell(const AttachFlags& flags, const std::vector<std::string>& command) try {
  AttachRequest request = flags.request;
  request.program = program_of(command, "plumbline attach -- ./program ARGUMENTS");
  request.command = command;
  ConsoleTalk talk;
  if (flags.program_a.empty()) return tell(attach_program(request, talk));
  const PairOptions pairs = options_of(flags.pairs);
  return tell_ab(attach_in_pairs(request, flags.program_a, pairs, talk), {}, talk);
} catch (const NothingRecorded& nothing) {
  if (is_failed(nothing.end()))
    say_error("error: the program " + nothing.end().words() + ", and nothing was measured\n");
  say_error("error: nothing ran: " + visible(nothing.what()) + "\n");
  return is_failed(nothing.end()) ? code_of(nothing.end()) : kExitInput;
}

/// Returns the flag that asks for pairs.
CLI::Option* add_pairs(CLI::App& app, AttachFlags& flags) {
  constexpr const char* kGroup = "Pairs";
  CLI::Option* const a =
      app.add_option("--a", flags.program_a,
                     "the baseline's program with its arguments, for a shell; both run in turn, in "
                     "pairs, and are judged")
          ->type_name("COMMAND")
          ->group(kGroup);
  app.add_option("--looks", flags.pairs.looks,
                 "numbers of pairs after which cases are judged; decided cases end there [3 6 12 "
                 "24 48]")
      ->delimiter(',')
      ->type_name("PAIRS")
      ->needs(a)
      ->group(kGroup);
  app.add_option("--margin", flags.pairs.margin,
                 "a case is SAME if its interval is within ± this share [2%]")
      ->type_name("SHARE")
      ->needs(a)
      ->group(kGroup);
  app.add_option("--threshold", flags.pairs.threshold,
                 "smallest change that is called SLOWER or FASTER [0.5%]")
      ->type_name("SHARE")
      ->needs(a)
      ->group(kGroup);
  return a;
}

}  // namespace

Command attach_command() {
  return {
      "attach", "Run any CUDA program and measure its kernels and NVTX ranges",
      [](CLI::App& app) {
        auto flags = std::make_shared<AttachFlags>();
        AttachRequest& request = flags->request;
        CLI::Option* const visits =
            app.add_option("--visits", request.visits,
                           "how often the program runs; each run is a round of the results [3]")
                ->type_name("N")
                ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
        app.add_option("-o,--output", request.output,
                       "folder of the run; with --a of both runs [a new one in --runs]")
            ->type_name("DIR");
        app.add_option("--name", request.name,
                       "name of the program in results: runs of one name are compared [that of its "
                       "file, or of its script]")
            ->type_name("NAME");
        add_runs_flag(app, request.places);
        app.add_option("--worker", request.worker.worker,
                       "a plumbline-worker, which describes the device")
            ->type_name("PATH");
        visits->excludes(add_pairs(app, *flags));
        app.footer(
            "Usage: plumbline attach [FLAGS] -- PROGRAM …\nThe program is not changed. It must "
            "start CUDA itself or in a child; it reads no input. Judge runs with `plumbline "
            "compare`, `accept`, `history`.\nStandard output: the program's, a table, and as its "
            "last line the run's directory.\nExit codes: the program's if it fails; 0 measured; 2 "
            "a mistake, or nothing ran; with --a as of `plumbline ab`.");
        return Action([flags](const auto& command) { return attach_and_tell(*flags, command); });
      },
      /*runs_program=*/true};
}

}  // namespace plumbline
