/// What a workflow reports while it works. The caller decides what to do with it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/run/case.h"
#include "core/run/result.h"
#include "core/run/run.h"
#include "schedule/scheduler.h"

namespace plumbline {

/// Follows the progress of a run, visit by visit.
class RunListener {
 public:
  virtual ~RunListener() = default;
  virtual void on_visit(const Case& c, std::span<const ResultRow> rows) = 0;
  virtual void on_progress(const Case& c, const Progress& progress) = 0;
  virtual void on_note(const std::string& note) = 0;
};

class Talk {
 public:
  virtual ~Talk() = default;
  /// Something that the user should know.
  virtual void note(const std::string& text) = 0;
  /// What happens now: one line, without a newline.
  virtual void say(const std::string& line) = 0;
  /// The current activity; shown until the next such text, a note, or "".
  virtual void now(const std::string& text) = 0;
  /// `expected` must outlive the listener. `round`: the word for one pass of the run.
  virtual std::unique_ptr<RunListener> listener(std::span<const ExpectedFailure> expected,
                                                std::string_view round) = 0;

  void notes(const std::vector<std::string>& texts) {
    for (const std::string& text : texts) note(text);
  }
};

}  // namespace plumbline
