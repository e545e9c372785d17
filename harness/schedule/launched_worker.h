/// A worker's process from its start on, and the one that is started before its turn.
///
/// A worker takes a second to load its libraries. Its successor does that while the present one
/// measures, and then stands by: it waits for a line before it touches the device. Knows how
/// workers are started; nothing of what is said to them.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schedule/child_process.h"
#include "schedule/worker_kind.h"

namespace plumbline {

struct WorkerCommand {
  std::vector<std::string> argv;              // without what its kind adds
  std::vector<std::string> first_flags = {};  // of the first worker alone
  EnvironmentVariables variables = {};        // beside ours
  bool has_partner = false;    // another worker of ours, in turn with it, on the same device
  bool has_successor = false;  // the next one may load its libraries while one measures
  std::string log_path;        // what workers print is appended here
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

/// The worker that is to follow the present one, once it is started; at most one.
class Successor {
 public:
  explicit Successor(WorkerCommand command) : command_(std::move(command)) {}

  /// Starts it, unless one of that kind stands by already; one of another kind is ended. Where it
  /// cannot be started there is none: who starts a worker in its place hears why.
  void start(WorkerKind kind) noexcept;
  /// It goes on, in that arena, and is the caller's. Nothing where there is none of that kind, or
  /// it has died.
  std::optional<LaunchedWorker> take(WorkerKind kind, const std::string& arena);

 private:
  WorkerCommand command_;
  WorkerKind kind_;
  std::optional<LaunchedWorker> waiting_;
};

}  // namespace plumbline
