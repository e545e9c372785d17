/// Runs a program of the user under the recorder of launches (attach/) and makes a run of what it
/// recorded: the command `attach`.
///
/// Each run of the program is a round: a fresh process, as a worker is. Judges nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/run/run.h"
#include "import/attached/cases.h"
#include "schedule/process/child_process.h"
#include "store/run/run_writer.h"
#include "workflow/setup/request.h"
#include "workflow/talk.h"

namespace plumbline {

/// Of runs of a program, unless the command line says otherwise: as many as rounds of a suite.
inline constexpr std::int64_t kAttachVisits = 3;

struct AttachRequest {
  std::vector<std::string> program;  // with its arguments
  std::string name;                  // of the run's suite; "" = name_of_program()
  std::int64_t visits = kAttachVisits;
  std::string output;  // folder of the run; "" = a new one among the project's runs
  PlaceRequest places;
  WorkerRequest worker;              // knows more of the device than a program does
  std::vector<std::string> command;  // recorded in the run
};

/// How results call a program: the name of its file, or of its script for an interpreter.
std::string name_of_program(const std::vector<std::string>& program);

/// No kernel was recorded. `end`: how the program ended.
class NothingRecorded : public Error {
 public:
  NothingRecorded(const std::string& why, ProcessEnd end) : Error(why), end_(end) {}
  const ProcessEnd& end() const { return end_; }

 private:
  ProcessEnd end_;
};

/// Runs of one program into one run directory, which is made when the first has ended.
class AttachedRun {
 public:
  /// `output`: folder of the run; "" = a new one among the project's runs. Throws Error if the
  /// recorder is not installed, or another one is to be injected.
  AttachedRun(const AttachRequest& request, std::string output, Talk& talk);

  /// Runs the program once more, and appends what it did. `worker`: name of this process in the
  /// results. Throws Error if it cannot be started; NothingRecorded if it is the first run and
  /// launched no kernel.
  ProcessEnd measure(std::int64_t round, const std::string& worker);

  /// Seals the run. Throws Error.
  void finish();

  bool is_begun() const { return writer_.has_value(); }
  const std::string& directory() const { return writer_->path(); }
  const Run& run() const { return writer_->run(); }
  const AttachedFacts& facts() const { return facts_; }

 private:
  void begin(const std::vector<AttachedProcess>& processes);

  const AttachRequest& request_;
  std::string output_, name_;
  Talk& talk_;
  AttachedFacts facts_;
  std::optional<RunWriter> writer_;
};

struct AttachOutcome {
  ProcessEnd end;         // of the last run of the program; a failure ends the others
  std::string directory;  // of the run
  Run run;
  std::vector<std::string> notes;
};

/// Runs the program `visits` times, or until it fails. Throws as AttachedRun does.
AttachOutcome attach_program(const AttachRequest& request, Talk& talk);

}  // namespace plumbline
