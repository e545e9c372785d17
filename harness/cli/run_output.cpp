#include "cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "analysis/causes/step_times.h"
#include "analysis/compare/compare.h"
#include "analysis/estimate/achieved.h"
#include "analysis/variance/run_noise.h"
#include "core/words.h"
#include "reports/step_text.h"
#include "reports/units.h"
#include "terminal/run_progress.h"
#include "terminal/table.h"
#include "workflow/run/resume_command.h"

namespace plumbline {
namespace {

constexpr double kNoisy = 0.2;            // spread between visits above which a time says little
constexpr std::size_t kMostReason = 100;  // characters in the table; results.csv has the full text
constexpr std::size_t kMostTableLines = 200;

/// A sentence for each of a suite's expectations that no longer holds.
std::vector<std::string> outlived_expectations(const std::vector<CaseSummary>& rows,
                                               std::span<const ExpectedFailure> expected) {
  std::vector<CaseOutcome> outcomes;
  for (const CaseSummary& row : rows) outcomes.push_back({row.suite, row.case_id, row.status});
  return Expectations(expected).outlived(outcomes);
}

/// A sentence if cases are faster than the device can be.
std::string too_fast(const std::vector<CaseSummary>& rows) {
  std::set<std::string> cases;
  for (const CaseSummary& row : rows)
    if (std::ranges::count(row.flags, kFlagFasterThanDevice)) cases.insert(row.case_id);
  if (cases.empty()) return "";
  constexpr std::size_t kMostNamed = 3;
  std::string names;
  std::size_t named = 0;
  for (const std::string& name : cases)
    if (named++ < kMostNamed) names += (names.empty() ? "" : ", ") + name;
  if (named > kMostNamed) names += ", …";
  return fmt::format(
      "{} faster than the device can do the declared work: {}. These times are no records: the "
      "case does less, or declares too much (FLOPs, bytes).",
      counted(named, "case") + (named == 1 ? " is" : " are"), names);
}

/// "0.05 %"; "" if unknown.
std::string spread_text(double visit_sd) {
  if (std::isnan(visit_sd)) return "";
  return percent_digits(100 * visit_sd, 2) + " %";
}

/// One line per case × metric: estimate, spread between rounds, status. If there are more than
/// `most` lines, only cases that are not OK are shown, and a line says so.
std::string summary_table(const std::vector<CaseSummary>& rows,
                          std::span<const ExpectedFailure> expected, std::size_t most) {
  const Expectations expectations(expected);
  Table table({{"case", Fit::id},
               {"metric", Fit::id},
               {"time", Fit::number},
               {"± rounds", Fit::number},
               {"status", Fit::text}});
  std::size_t hidden = 0, shown = 0;
  for (const CaseSummary& row : rows) {
    const ExpectedFailure* const known = expectations.met(row.suite, row.case_id, row.status);
    if (row.status == Status::excluded || (row.status == Status::unsupported && !known)) continue;
    if (row.status == Status::ok && ++shown > most) {
      ++hidden;
      continue;
    }
    const std::string time =
        std::isnan(row.estimate) ? "" : quantity_text(row.estimate, row.unit, std::nullopt);
    const bool is_noisy = row.visit_sd > kNoisy && is_judged(row.metric);
    const bool is_noisy_ok = is_noisy && row.status == Status::ok;
    std::string status(name_of(row.status));
    if (is_noisy_ok) status += ", too noisy";
    const std::string_view why = known ? known->reason : row.reason;
    if (known) status += " as expected";
    if (!why.empty()) {
      const std::string_view first = cut(why, kMostReason);
      status += ": " + std::string(first) + (first.size() < why.size() ? "…" : "");
    }
    table.add({{row.case_id},
               {row.metric},
               {time},
               {spread_text(row.visit_sd), is_noisy ? Colour::red : Colour::none},
               {status, known || is_noisy_ok ? Colour::yellow : colour_of(row.status)}});
  }
  std::string text = table.empty() ? "" : table.text();
  if (hidden > 0) text += fmt::format("and {} more that are OK\n", hidden);
  return text;
}

/// How the devices spent their time: "90.6 s, 66 % of it measuring: start-up 8.1 s, …".
std::string time_in_words(const ScheduleResult& result) {
  const auto spent = [&](const char* phase) {
    const auto found = result.spent_s.find(phase);
    return found == result.spent_s.end() ? 0 : found->second;
  };
  const double measuring_s = spent("launch");
  double verifying_s = 0;
  for (const auto& [phase, seconds] : result.spent_s)
    if (phase.starts_with("verify")) verifying_s += seconds;
  const double training_s = spent("train");
  const double rest_s = result.wall_s - result.processes_s - measuring_s - verifying_s - training_s;
  const std::string on_several =
      result.devices > 1 ? fmt::format("{} × ", result.devices) : std::string();
  return fmt::format(
      "{}{:.1f} s, {:.0f} % of it measuring: start-up {:.1f} s, measuring {:.1f} s, verification "
      "{:.1f} s, {}bookkeeping {:.1f} s",
      on_several, result.wall_s / double(result.devices), 100 * measuring_s / result.wall_s,
      result.processes_s, measuring_s, verifying_s,
      training_s > 0 ? fmt::format("training {:.1f} s, ", training_s) : "", rest_s);
}

/// The command that resumes this run.
std::string how_to_resume(const std::vector<std::string>& command, const std::string& directory) {
  return "nothing of it is lost; go on with:\n  " + resume_command(command, directory);
}

/// Prints the table, in the order of the suites; returns the counts of a finished run.
RunCounts tell_results(const RunOutcome& outcome, const RunTelling& telling, Talk& talk) {
  const auto tell = [&](const std::string& text) {
    telling.is_result ? print_text(text) : say(text);
  };
  const std::string& directory = outcome.directory;
  const std::vector<ExpectedFailure>& expected = outcome.run.info.expected;
  std::vector<CaseSummary> rows = outcome.summaries;
  std::map<std::pair<std::string_view, std::string_view>, std::size_t> positions;
  for (const Case& c : outcome.cases)
    positions.emplace(std::pair<std::string_view, std::string_view>(c.suite, c.id),
                      positions.size());
  std::ranges::stable_sort(rows, {}, [&](const CaseSummary& row) {
    return positions[{row.suite, row.case_id}];
  });
  const RunCounts counts = count_cases(rows, expected);
  tell(summary_table(rows, expected, kMostTableLines));
  say(fmt::format("{}\n", counts_in_words(counts)));
  if (counts.measured > 0 || counts.failed > 0)  // else require_measured() says it
    for (const std::string& line : reasons_unsupported(rows, expected)) say(line + "\n");
  for (const StepTime& step : step_times(outcome.run.info, rows))
    if (step.phase.empty()) tell(fmt::format("{}: {}\n", step_name(step), coverage_sentence(step)));
  for (const std::string& sentence : outlived_expectations(rows, expected)) print_note(sentence);
  if (const std::string sentence = too_fast(rows); !sentence.empty()) print_note(sentence);
  if (!outcome.costs_off.empty()) print_note(outcome.costs_off);
  if (const std::string sentence = run_noise_text(outcome.noise);
      !telling.is_judged && !sentence.empty())
    print_note(sentence);
  if (counts.failed > 0)
    say(fmt::format("{} {} not do what {} should; the reasons are in {}/results.csv\n",
                    coloured(counted(counts.failed, "case"), Colour::red, STDERR_FILENO),
                    counts.failed == 1 ? "does" : "do", counts.failed == 1 ? "it" : "they",
                    directory));
  if (outcome.schedule.visits > 0) say(fmt::format("{}\n", time_in_words(outcome.schedule)));
  tell(directory + "\n");
  require_measured(counts, rows, " of " + directory, talk);
  return counts;
}

}  // namespace

RunCounts tell_run(const RunOutcome& outcome, const std::vector<std::string>& command,
                   const RunTelling& telling, Talk& talk) {
  if (outcome.signal == 0) return tell_results(outcome, telling, talk);
  say(fmt::format("interrupted after {}; {}\n", counted(outcome.schedule.visits, "visit"),
                  how_to_resume(command, outcome.directory)));
  return {};
}

Error with_resume_command(const UnfinishedRun& error, const std::vector<std::string>& command) {
  return Error(std::string(error.what()) + "\nthe run is not finished; " +
               how_to_resume(command, error.directory()));
}

}  // namespace plumbline
