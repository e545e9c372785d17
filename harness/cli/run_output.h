/// What people see of a run: progress while it measures, and its table at the end.
///
/// Knows no device and writes no file.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/compare/expected.h"
#include "analysis/estimate/estimate.h"
#include "cli/console.h"
#include "schedule/scheduler.h"
#include "workflow/run/run_suites.h"
#include "workflow/talk.h"

namespace plumbline {

/// Talk about a run that is being made: one status line on a terminal, in a log a line per round
/// and per case that fails.
class RunProgress : public RunListener {
 public:
  /// `expected` outlives this. `round`: the word for what the run goes through.
  explicit RunProgress(std::span<const ExpectedFailure> expected, std::string round = "round")
      : expectations_(expected), word_(std::move(round)) {}
  void on_visit(const Case& c, std::span<const ResultRow> rows) override;
  void on_progress(const Case& c, const Progress& progress) override;
  void on_note(const std::string& note) override;

 private:
  Expectations expectations_;
  std::string word_;
  StatusLine line_;
  std::int64_t round_ = -1;
};

/// Prints what workflows tell.
class ConsoleTalk : public Talk {
 public:
  void note(const std::string& text) override;
  void say(const std::string& line) override { plumbline::say(line + '\n'); }
  void now(const std::string& text) override;
  std::unique_ptr<RunListener> listener(std::span<const ExpectedFailure> expected,
                                        std::string_view round) override {
    return std::make_unique<RunProgress>(expected, std::string(round));
  }

 private:
  StatusLine line_;
};

/// Cases of a run by how they ended.
struct RunCounts {
  std::map<Status, std::size_t> cases;     // but for those
  std::map<Status, std::size_t> expected;  // that ended as their suite expects
  std::size_t measured = 0;
  std::size_t failed = 0;  // WRONG, CRASHED, TIMEOUT, OUT_OF_MEMORY, and not expected
};
RunCounts count_cases(const std::vector<CaseSummary>& rows,
                      std::span<const ExpectedFailure> expected);

/// A sentence for each expectation of a suite that cases have outlived.
std::vector<std::string> outlived_expectations(const std::vector<CaseSummary>& rows,
                                               std::span<const ExpectedFailure> expected);

/// One line per case × metric: estimate, spread between rounds, status. Beyond `most` lines only
/// cases that are not OK are shown, and a line says so.
std::string summary_table(const std::vector<CaseSummary>& rows,
                          std::span<const ExpectedFailure> expected, std::size_t most);

/// "18 OK, 1 WRONG, 2 EXCLUDED; 3 WRONG as expected".
std::string counts_in_words(const RunCounts& counts);

/// Where no case was measured: tells why cases are UNSUPPORTED or EXCLUDED, the most frequent
/// reason first, and throws Error. `run`: " of DIRECTORY", or nothing.
void require_measured(const RunCounts& counts, const std::vector<CaseSummary>& rows,
                      const std::string& run);

/// Where the time of the devices went: "90.6 s, 66 % of it measuring: start-up 8.1 s, …".
std::string time_in_words(const ScheduleResult& result);

Colour colour_of(Status status);

/// How a command shows the run that it makes.
struct RunTelling {
  bool is_result = true;   // the table goes to standard output, not to standard error
  bool is_judged = false;  // cases that all fail are told by the verdict, not as an Error
};

/// The table of a finished run; of one that a signal stopped, the command that goes on with it.
/// Gives how the cases of a finished run ended. Throws Error where none was measured.
RunCounts tell_run(const RunOutcome& outcome, const std::vector<std::string>& command,
                   const RunTelling& telling);

/// The error, with the command that goes on with the run.
Error with_resume_command(const UnfinishedRun& error, const std::vector<std::string>& command);

}  // namespace plumbline
