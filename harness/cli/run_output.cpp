#include "cli/run_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ranges>

#include "cli/command.h"
#include "core/error.h"
#include "core/visible.h"
#include "core/words.h"
#include "reports/units.h"

namespace plumbline {
namespace {

constexpr std::size_t kMostReason = 100;  // characters in the table; all of it is in results.csv
constexpr std::size_t kMostReasons = 5;

/// "3 UNSUPPORTED: …", a line for each reason why cases did not run; the most frequent first.
std::string reasons_not_run(const std::vector<CaseSummary>& rows) {
  using Name = std::pair<std::string_view, std::string_view>;
  std::map<std::pair<Status, std::string_view>, std::set<Name>> cases;
  for (const CaseSummary& row : rows)
    if (row.status == Status::unsupported || row.status == Status::excluded)
      cases[{row.status, row.reason}].emplace(row.suite, row.case_id);
  std::vector<std::pair<std::size_t, std::string>> reasons;
  for (const auto& [why, of] : cases)
    reasons.emplace_back(
        of.size(), fmt::format("{} {}: {}\n", of.size(), name_of(why.first), visible(why.second)));
  std::ranges::stable_sort(reasons, std::ranges::greater{}, [](const auto& r) { return r.first; });
  std::string text;
  for (const auto& [count, line] : reasons | std::views::take(kMostReasons)) text += line;
  if (reasons.size() > kMostReasons)
    text += fmt::format("and {}\n", counted(reasons.size() - kMostReasons, "more reason"));
  return text;
}

}  // namespace

void RunProgress::on_progress(const Case& c, const Progress& progress) {
  const std::string left = std::isnan(progress.remaining_s)
                               ? ""
                               : ", about " + duration_in_words(progress.remaining_s) + " left";
  if (!line_.is_shown() && progress.round != round_)
    say(fmt::format("{} {} of {}: {} of {} visits done{}\n", word_, progress.round + 1,
                    progress.rounds, progress.finished, progress.planned, left));
  round_ = progress.round;
  line_.show(fmt::format("{}/{} {} {} of {}{}: {}", progress.finished + 1, progress.planned, word_,
                         progress.round + 1, progress.rounds, left, c.id));
}

void RunProgress::on_visit(const Case& c, std::span<const ResultRow> rows) {
  const ResultRow& row = rows.front();
  if (has_samples(row.status) || row.status == Status::excluded ||
      row.status == Status::unsupported)
    return;
  line_.clear();
  const ExpectedFailure* const known = expectations_.met(c.suite, c.id, row.status);
  const Colour colour = known ? Colour::yellow : colour_of(row.status);
  say(fmt::format("{}{} {}: {}\n", coloured(name_of(row.status), colour, STDERR_FILENO),
                  known ? " as expected" : "", c.id, visible(known ? known->reason : row.reason)));
}

void RunProgress::on_note(const std::string& note) {
  line_.clear();
  print_note(note);
}

void ConsoleTalk::note(const std::string& text) {
  line_.clear();
  print_note(text);
}

void ConsoleTalk::now(const std::string& text) {
  text.empty() ? line_.clear() : line_.show(text);
}

RunCounts count_cases(const std::vector<CaseSummary>& rows,
                      std::span<const ExpectedFailure> expected) {
  const Expectations expectations(expected);
  RunCounts counts;
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CaseSummary& row : rows) {
    if (!seen.emplace(row.suite, row.case_id).second) continue;
    counts.measured += !row.metric.empty();
    if (expectations.met(row.suite, row.case_id, row.status)) {
      ++counts.expected[row.status];
      continue;
    }
    ++counts.cases[row.status];
    counts.failed += is_failure(row.status);
  }
  return counts;
}

std::vector<std::string> outlived_expectations(const std::vector<CaseSummary>& rows,
                                               std::span<const ExpectedFailure> expected) {
  std::vector<CaseOutcome> outcomes;
  for (const CaseSummary& row : rows) outcomes.push_back({row.suite, row.case_id, row.status});
  return Expectations(expected).outlived(outcomes);
}

Colour colour_of(Status status) {
  if (is_failure(status)) return Colour::red;
  return status == Status::ok ? Colour::green : Colour::yellow;
}

std::string summary_table(const std::vector<CaseSummary>& rows,
                          std::span<const ExpectedFailure> expected, std::size_t most) {
  const Expectations expectations(expected);
  Table table({"case", "metric", "time", "± rounds", "status"}, {false, false, true, true, false});
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
    const std::string spread =
        std::isnan(row.visit_sd) ? "" : fmt::format("{:.2f} %", 100 * row.visit_sd);
    std::string status(name_of(row.status));
    const std::string_view why = known ? known->reason : row.reason;
    if (known) status += " as expected";
    if (!why.empty()) status += ": " + std::string(cut(why, kMostReason));
    table.add({{row.case_id},
               {row.metric},
               {time},
               {spread},
               {status, known ? Colour::yellow : colour_of(row.status)}});
  }
  std::string text = table.empty() ? "" : table.text();
  if (hidden > 0) text += fmt::format("and {} more that are OK\n", hidden);
  return text;
}

std::string counts_in_words(const RunCounts& counts) {
  std::string text;
  for (const auto& [status, count] : counts.cases)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name_of(status));
  std::string expected;
  for (const auto& [status, count] : counts.expected)
    expected += fmt::format("{}{} {}", expected.empty() ? "" : ", ", count, name_of(status));
  if (!expected.empty()) text += (text.empty() ? "" : "; ") + expected + " as expected";
  return text;
}

void require_measured(const RunCounts& counts, const std::vector<CaseSummary>& rows,
                      const std::string& run) {
  if (counts.measured > 0) return;
  const std::string reasons = reasons_not_run(rows);
  say(reasons);
  throw Error("nothing was measured: no case" + run + " has samples" +
              (reasons.empty() ? "" : "; choose a device (--device) or cases that can run on it"));
}

std::string time_in_words(const ScheduleResult& result) {
  const auto spent = [&](const char* phase) {
    const auto found = result.spent_s.find(phase);
    return found == result.spent_s.end() ? 0 : found->second;
  };
  const double measuring_s = spent("launch");
  double verifying_s = 0;
  for (const auto& [phase, seconds] : result.spent_s)
    if (phase.starts_with("verify")) verifying_s += seconds;
  const double rest_s = result.wall_s - result.processes_s - measuring_s - verifying_s;
  const std::string on_several =
      result.devices > 1 ? fmt::format("{} × ", result.devices) : std::string();
  return fmt::format(
      "{}{:.1f} s, {:.0f} % of it measuring: start-up {:.1f} s, measuring {:.1f} s, verification "
      "{:.1f} s, bookkeeping {:.1f} s",
      on_several, result.wall_s / double(result.devices), 100 * measuring_s / result.wall_s,
      result.processes_s, measuring_s, verifying_s, rest_s);
}

namespace {

constexpr std::size_t kMostTableLines = 200;

/// With the command that goes on with this run.
std::string how_to_resume(const std::vector<std::string>& command, const std::string& directory) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "--resume") continue;
    const bool is_output = command[i] == "-o" || command[i] == "--output";
    if (is_output) ++i;
    if (is_output || command[i].starts_with("--output=")) continue;
    words.push_back(command[i]);
  }
  words.insert(words.end(), {"-o", directory, "--resume"});
  return "nothing of it is lost; go on with:\n  " + shell_command(words);
}

/// The table, in the order of the suites, and the counts of a finished run.
RunCounts tell_results(const RunOutcome& outcome, const RunTelling& telling) {
  const auto tell = [&](const std::string& text) {
    telling.is_result ? print_text(text) : say(text);
  };
  const std::string& directory = outcome.directory;
  const std::vector<ExpectedFailure>& expected = outcome.run.info.expected;
  std::vector<CaseSummary> rows = summarize(outcome.run);
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
  for (const std::string& sentence : outlived_expectations(rows, expected)) print_note(sentence);
  if (counts.failed > 0)
    say(fmt::format("{} {} not do what {} should; the reasons are in {}/results.csv\n",
                    coloured(counted(counts.failed, "case"), Colour::red, STDERR_FILENO),
                    counts.failed == 1 ? "does" : "do", counts.failed == 1 ? "it" : "they",
                    directory));
  if (outcome.schedule.visits > 0) say(fmt::format("{}\n", time_in_words(outcome.schedule)));
  tell(directory + "\n");
  if (!telling.is_judged || counts.failed == 0) require_measured(counts, rows, " of " + directory);
  return counts;
}

}  // namespace

RunCounts tell_run(const RunOutcome& outcome, const std::vector<std::string>& command,
                   const RunTelling& telling) {
  if (outcome.signal == 0) return tell_results(outcome, telling);
  say(fmt::format("interrupted after {}; {}\n", counted(outcome.schedule.visits, "visit"),
                  how_to_resume(command, outcome.directory)));
  return {};
}

Error with_resume_command(const UnfinishedRun& error, const std::vector<std::string>& command) {
  return Error(std::string(error.what()) + "\nthe run is not finished; " +
               how_to_resume(command, error.directory()));
}

}  // namespace plumbline
