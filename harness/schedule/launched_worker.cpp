#include "schedule/launched_worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/value.h"
#include "protocol/messages.h"

namespace plumbline {
namespace {

/// `gate`: for one that stands by.
LaunchedWorker launch(const WorkerCommand& command, WorkerKind kind, const std::string& arena,
                      Pipe gate) {
  LaunchedWorker launched;
  launched.log = open_to_append(command.log_path);
  Pipe requests = make_pipe(), answers = make_pipe();
  std::vector<std::string> argv = command.argv;
  argv.insert(argv.end(), {"--profile", std::string(name_of(kind.profile))});
  if (!arena.empty()) argv.insert(argv.end(), {"--arena", arena});
  std::vector<std::pair<int, int>> passed{{launched.log.get(), STDOUT_FILENO},
                                          {launched.log.get(), STDERR_FILENO},
                                          {requests.read_end.get(), kRequestDescriptor},
                                          {answers.write_end.get(), kAnswerDescriptor}};
  EnvironmentVariables variables = command.variables;
  variables["CUDA_DEVICE_MAX_CONNECTIONS"] = std::to_string(kind.connections);
  if (std::isfinite(*command.fastest_chain_s))
    variables[kContextChainVariable] = shortest_text(*command.fastest_chain_s);
  if (command.has_partner) variables["PLUMBLINE_PARTNER"] = "1";
  if (command.kept_results && command.kept_results->get() >= 0) {
    passed.emplace_back(command.kept_results->get(), kKeptResultsDescriptor);
    variables["PLUMBLINE_KEPT_RESULTS"] = std::to_string(kKeptResultsDescriptor);
  }
  if (gate.read_end.get() >= 0) {
    passed.emplace_back(gate.read_end.get(), kStandbyDescriptor);
    variables[kStandbyVariable] = std::to_string(kStandbyDescriptor);
  }
  launched.log_start = lseek(launched.log.get(), 0, SEEK_END);
  launched.process = std::make_unique<ChildProcess>(argv, passed, variables);
  launched.requests = std::move(requests.write_end);
  launched.answers = std::move(answers.read_end);
  launched.gate = std::move(gate.write_end);
  fcntl(launched.requests.get(), F_SETFL, O_NONBLOCK);
  return launched;  // the child's ends are closed here: ours would keep the pipes open
}

}  // namespace

LaunchedWorker launch_worker(const WorkerCommand& command, WorkerKind kind,
                             const std::string& arena) {
  return launch(command, kind, arena, Pipe());
}

LaunchedWorker launch_standby(const WorkerCommand& command, WorkerKind kind) {
  return launch(command, kind, "", make_pipe());
}

void Successor::start(WorkerKind kind) noexcept {
  if (waiting_ && kind_ == kind) return;
  waiting_.reset();
  try {
    waiting_ = launch_standby(command_, kind);
    kind_ = kind;
  } catch (const std::exception&) {
    // Nothing is lost: it is not needed yet.
  }
}

std::optional<LaunchedWorker> Successor::take(WorkerKind kind, const std::string& arena) {
  if (!waiting_ || kind_ != kind) return std::nullopt;
  LaunchedWorker taken = std::move(*waiting_);
  waiting_.reset();
  taken.log_start = lseek(taken.log.get(), 0, SEEK_END);  // its predecessor printed there too
  const NoBrokenPipeSignal guard;
  const std::string line = arena + '\n';  // short enough for a pipe to take it whole
  ssize_t put = 0;
  do put = write(taken.gate.get(), line.data(), line.size());
  while (put < 0 && errno == EINTR);
  // A fresh one says what is wrong, if it is still wrong.
  if (put != ssize_t(line.size()) || taken.process->poll_end()) return std::nullopt;
  taken.gate.reset();
  return taken;
}

}  // namespace plumbline
