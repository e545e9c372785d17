/// What people see of a run: progress while it measures, and its table at the end.
///
/// Knows no device and writes no file.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "analysis/estimate.h"
#include "cli/console.h"
#include "schedule/scheduler.h"

namespace plumbline {

/// Talk about a run that is being made: one status line on a terminal, in a log a line per round
/// and per case that fails.
class RunProgress {
 public:
  /// `round`: the word for what the run goes through.
  explicit RunProgress(std::string round = "round") : word_(std::move(round)) {}
  void on_visit(const Case& c, std::span<const ResultRow> rows);
  void on_progress(const Case& c, const Progress& progress);
  void on_note(const std::string& note);
  void end() { line_.clear(); }

 private:
  std::string word_;
  StatusLine line_;
  std::int64_t round_ = -1;
};

/// Cases of a run by how they ended.
struct RunCounts {
  std::map<Status, std::size_t> cases;
  std::size_t measured = 0;
  std::size_t failed = 0;  // WRONG, CRASHED, TIMEOUT, OUT_OF_MEMORY
};
RunCounts count_cases(const std::vector<CaseSummary>& rows);

/// One line per case × metric: estimate, spread between rounds, status. Beyond `most` lines only
/// cases that are not OK are shown, and a line says so.
std::string summary_table(const std::vector<CaseSummary>& rows, std::size_t most);

/// "18 OK, 1 WRONG, 2 EXCLUDED".
std::string counts_in_words(const RunCounts& counts);

/// Where the time of the devices went: "90.6 s, 66 % of it measuring: start-up 8.1 s, …".
std::string time_in_words(const ScheduleResult& result);

Colour colour_of(Status status);

}  // namespace plumbline
