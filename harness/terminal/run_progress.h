/// Shows the progress of workflows.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "analysis/compare/expected.h"
#include "core/status.h"
#include "terminal/console.h"
#include "workflow/talk.h"

namespace plumbline {

Colour colour_of(Status status);

/// Shows a run in progress: one status line on a terminal; in a log, a line per round and per
/// failed case.
class RunProgress : public RunListener {
 public:
  /// `expected` must outlive this object. `round`: the word for a pass over all cases.
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

/// Prints the messages of workflows.
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

}  // namespace plumbline
