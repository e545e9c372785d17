/// A plumbline-worker process: started, asked, watched, killed and reaped.
///
/// Knows how a process can end; knows neither rounds nor result files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/launched_worker.h"
#include "schedule/process/child_process.h"
#include "schedule/process/interrupt.h"
#include "schedule/process/line_channel.h"
#include "schedule/worker.h"

namespace plumbline {

class WorkerProcess : public Worker {
 public:
  /// Starts the worker, or takes the one that stands by, and reads its first line. `interrupt` and
  /// `successors` may be null; `arena` as in PairWorkers::start. Throws WorkerStartError with the
  /// end of the log. Check started() first: hello() is empty if the user interrupted the start.
  WorkerProcess(const WorkerCommand& command, WorkerKind kind, Interrupt* interrupt,
                std::shared_ptr<Successors> successors = nullptr, const std::string& arena = "");

  bool started() const { return started_; }
  const Hello& hello() const override { return hello_; }
  const std::string& name() const override { return name_; }
  std::optional<MeasureAnswer> measure(const MeasureRequest& request, double timeout_s) override;
  bool usable() const override { return usable_; }
  void prepare_next(WorkerKind kind) override;
  WorkerEnd finish() override;

 private:
  using Heard = LineChannel::Heard;
  std::optional<Goodbye> hear_goodbye(Deadline deadline);
  /// The answer, unless the case took more than its sandbox has.
  MeasureAnswer within_limits(MeasureAnswer answer);
  MeasureAnswer failed(Status status, const std::string& what);
  MeasureAnswer failed(Heard heard, double timeout_s);
  /// How it ended; kills it if it runs.
  /// True if the worker ended by a signal that ends this program, too. Who ends a job, such as
  /// Slurm, signals its processes one after another, and the worker may come first: that is no
  /// crash of the case.
  bool is_stopped_with_us();
  ProcessEnd killed();
  std::string death_in_words();
  std::string printed() const;

  WorkerCommand command_;
  void greet(Profile profile);

  Interrupt* interrupt_;
  std::shared_ptr<Successors> successors_;
  Descriptor log_;
  long log_start_ = 0;  // position in the log where output for the present request begins
  std::unique_ptr<ResourceGroup> group_;  // of its sandbox; outlives the process
  std::unique_ptr<ChildProcess> process_;
  std::optional<LineChannel> channel_;  // to and from the process
  std::string program_, name_, phase_;
  Hello hello_;
  bool started_ = false, usable_ = false;
};

/// Factories of such workers. If the command has successors, prepare_next() or stand_by() starts
/// the next ones; these end with the factory and its last worker.
WorkerFactory worker_processes(WorkerCommand command, Interrupt* interrupt);
PairWorkers pair_worker_processes(WorkerCommand command, Interrupt* interrupt);

}  // namespace plumbline
