/// Starts workers' processes, some of them before their turn.
///
/// A worker takes a second to load its libraries. Its successor does that while the present one
/// starts or measures. Then it stands by: it waits for a line before it touches the device. Knows
/// how workers are started, not the protocol.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/fastest_chain.h"
#include "schedule/process/child_process.h"
#include "schedule/process/sandbox.h"
#include "schedule/worker_kind.h"

namespace plumbline {

struct WorkerCommand {
  std::vector<std::string> argv;              // without the flags of the worker's kind
  std::vector<std::string> in_python = {};    // for workers inside Python, if there are any
  std::vector<std::string> first_flags = {};  // only for the first worker
  EnvironmentVariables variables = {};        // besides our own environment
  std::optional<Sandbox> sandbox = {};        // in which workers run
  bool has_partner = false;     // another worker alternates with it on the same device
  bool has_successors = false;  // the next ones may load their libraries while one measures
  std::string log_path;         // the workers' output is appended here
  std::shared_ptr<const Descriptor> kept_results = {};  // results that workers pass on, or null
  std::shared_ptr<FastestChain> fastest_chain = std::make_shared<FastestChain>();
  double start_timeout_s = 300;  // until the first line: libraries load from a cold disk
  double finish_timeout_s = 20;  // from the finish request to the end
  std::size_t longest_line_bytes = std::size_t{256} << 20;
};

/// A process, and our ends of its descriptors. Destroying it ends the process.
struct LaunchedWorker {
  Descriptor log, requests, answers;
  Descriptor gate;     // for standby: a line starts the worker, end of file ends it
  long log_start = 0;  // position in the log where its output begins
  std::unique_ptr<ResourceGroup> group;  // of its sandbox; outlives the process
  std::unique_ptr<ChildProcess> process;
};

/// Starts a worker of that kind, measuring in `arena` (worker.h). Throws Error.
LaunchedWorker launch_worker(const WorkerCommand& command, WorkerKind kind,
                             const std::string& arena);

/// Starts a worker that stands by; it gets its arena when its turn comes.
LaunchedWorker launch_standby(const WorkerCommand& command, WorkerKind kind);

/// The workers that will follow the present one and are already started.
class Successors {
 public:
  explicit Successors(WorkerCommand command) : command_(std::move(command)) {}

  /// Makes one worker of each of these kinds stand by. Starts missing ones and ends others. One
  /// that cannot be started is left out: the later start in its place reports why.
  void expect(std::span<const WorkerKind> kinds) noexcept;
  /// Lets the worker of that kind go on in that arena and hands it over. Nothing if there is none
  /// or it has died.
  std::optional<LaunchedWorker> take(WorkerKind kind, const std::string& arena);

 private:
  struct Waiting {
    WorkerKind kind;
    LaunchedWorker worker;
  };

  /// Takes the first worker of that kind from the list; nothing if there is none.
  std::optional<LaunchedWorker> pick(WorkerKind kind);

  WorkerCommand command_;
  std::vector<Waiting> waiting_;
};

}  // namespace plumbline
