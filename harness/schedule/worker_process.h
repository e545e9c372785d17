/// A plumbline-worker process: started, asked, watched, killed, reaped.
///
/// Knows the protocol's framing and how a process can end; knows neither rounds nor files of
/// results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/child_process.h"
#include "schedule/interrupt.h"
#include "schedule/worker.h"

namespace plumbline {

struct WorkerCommand {
  std::vector<std::string> argv;              // without what its kind adds
  std::vector<std::string> first_flags = {};  // of the first worker alone
  bool has_partner = false;  // another worker of ours, in turn with it, on the same device
  std::string log_path;      // what workers print is appended here
  std::shared_ptr<const Descriptor> kept_results = {};  // file that such workers hand on, or none
  double start_timeout_s = 300;  // until its first line: loading the libraries from a cold disk
  double finish_timeout_s = 20;  // from the request to finish to its end
  std::size_t longest_line_bytes = std::size_t{256} << 20;
};

class WorkerProcess : public Worker {
 public:
  /// Starts the worker and reads its first line. `interrupt` may be null. Throws WorkerStartError
  /// with the last lines of the log. Check hello() only where started() is true: it is false if
  /// the user interrupted the start.
  WorkerProcess(const WorkerCommand& command, WorkerKind kind, Interrupt* interrupt);

  bool started() const { return started_; }
  const Hello& hello() const override { return hello_; }
  const std::string& name() const override { return name_; }
  std::optional<MeasureAnswer> measure(const MeasureRequest& request, double timeout_s) override;
  bool usable() const override { return usable_; }
  WorkerEnd finish() override;

 private:
  enum class Heard { line, end, late, too_long, interrupted };
  Heard read_line(Deadline deadline, std::string& line);
  Heard wait_readable(Deadline deadline);
  Heard send(const std::string& text, Deadline deadline);
  std::optional<Goodbye> hear_goodbye(Deadline deadline);
  MeasureAnswer failed(Status status, const std::string& what);
  MeasureAnswer failed(Heard heard, double timeout_s);
  std::string death_in_words();
  std::string printed() const;

  WorkerCommand command_;
  Interrupt* interrupt_;
  Descriptor log_;
  long log_start_ = 0;  // where the output for the present request begins
  Descriptor requests_, answers_;
  std::unique_ptr<ChildProcess> process_;
  std::string name_, pending_, phase_;
  Hello hello_;
  bool started_ = false, usable_ = false;
};

/// A factory of such workers.
WorkerFactory worker_processes(WorkerCommand command, Interrupt* interrupt);

}  // namespace plumbline
