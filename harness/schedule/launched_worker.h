/// A worker's process from its start on, and those that are started before their turn.
///
/// A worker takes a second to load its libraries. Its successor does that while the present one
/// starts or measures, and then stands by: it waits for a line before it touches the device. Knows
/// how workers are started; nothing of what is said to them.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/process/child_process.h"
#include "schedule/worker_kind.h"

namespace plumbline {

struct WorkerCommand {
  std::vector<std::string> argv;              // without what its kind adds
  std::vector<std::string> in_python = {};    // the same of workers in a Python, if there are any
  std::vector<std::string> first_flags = {};  // of the first worker alone
  EnvironmentVariables variables = {};        // beside ours
  bool has_partner = false;     // another worker of ours, in turn with it, on the same device
  bool has_successors = false;  // the next ones may load their libraries while one measures
  std::string log_path;         // what workers print is appended here
  std::shared_ptr<const Descriptor> kept_results = {};  // file that such workers hand on, or none
  /// The shortest context_chain_s that such workers told so far: who has one, too, need not look
  /// on.
  std::shared_ptr<double> fastest_chain_s =
      std::make_shared<double>(std::numeric_limits<double>::infinity());
  double start_timeout_s = 300;  // until its first line: loading the libraries from a cold disk
  double finish_timeout_s = 20;  // from the request to finish to its end
  std::size_t longest_line_bytes = std::size_t{256} << 20;
};

/// A process, and our ends of its descriptors. It dies with this.
struct LaunchedWorker {
  Descriptor log, requests, answers;
  Descriptor gate;     // where it stands by: a line lets it go on, end of file ends it
  long log_start = 0;  // where in the log its output begins
  std::unique_ptr<ChildProcess> process;
};

/// Starts a worker of that kind to measure in `arena` (worker.h). Throws Error.
LaunchedWorker launch_worker(const WorkerCommand& command, WorkerKind kind,
                             const std::string& arena);

/// The same to stand by: it hears of its arena when it may go on.
LaunchedWorker launch_standby(const WorkerCommand& command, WorkerKind kind);

/// The workers that are to follow the present one, once they are started.
class Successors {
 public:
  explicit Successors(WorkerCommand command) : command_(std::move(command)) {}

  /// From here on one worker of each of these kinds stands by. Missing ones are started, others are
  /// ended. One that cannot be started is left out: starting a worker in its place tells why.
  void expect(std::span<const WorkerKind> kinds) noexcept;
  /// It goes on, in that arena, and is the caller's. Nothing where there is none of that kind, or
  /// it has died.
  std::optional<LaunchedWorker> take(WorkerKind kind, const std::string& arena);

 private:
  struct Waiting {
    WorkerKind kind;
    LaunchedWorker worker;
  };

  /// The first of that kind, out of the list; nothing where there is none.
  std::optional<LaunchedWorker> pick(WorkerKind kind);

  WorkerCommand command_;
  std::vector<Waiting> waiting_;
};

}  // namespace plumbline
