#include "schedule/launched_worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/error.h"
#include "protocol/messages.h"

namespace plumbline {

LaunchedWorker launch_worker(const WorkerCommand& command, WorkerKind kind, bool stands_by) {
  LaunchedWorker launched;
  launched.log = open_to_append(command.log_path);
  Pipe requests = make_pipe(), answers = make_pipe();
  std::vector<std::string> argv = command.argv;
  argv.insert(argv.end(), {"--profile", std::string(name_of(kind.profile))});
  std::vector<std::pair<int, int>> passed{{launched.log.get(), STDOUT_FILENO},
                                          {launched.log.get(), STDERR_FILENO},
                                          {requests.read_end.get(), kRequestDescriptor},
                                          {answers.write_end.get(), kAnswerDescriptor}};
  EnvironmentVariables variables{{"CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(kind.connections)}};
  if (command.has_partner) variables["PLUMBLINE_PARTNER"] = "1";
  if (command.kept_results && command.kept_results->get() >= 0) {
    passed.emplace_back(command.kept_results->get(), kKeptResultsDescriptor);
    variables["PLUMBLINE_KEPT_RESULTS"] = std::to_string(kKeptResultsDescriptor);
  }
  Pipe gate;
  if (stands_by) {
    gate = make_pipe();
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

void Successor::start(WorkerKind kind) noexcept {
  if (waiting_ && kind_ == kind) return;
  waiting_.reset();
  try {
    waiting_ = launch_worker(command_, kind, /*stands_by=*/true);
    kind_ = kind;
  } catch (const std::exception&) {
    // It is not needed yet.
  }
}

std::optional<LaunchedWorker> Successor::take(WorkerKind kind) {
  if (!waiting_ || kind_ != kind) return std::nullopt;
  LaunchedWorker taken = std::move(*waiting_);
  waiting_.reset();
  taken.log_start = lseek(taken.log.get(), 0, SEEK_END);  // its predecessor printed there too
  const NoBrokenPipeSignal guard;
  ssize_t put = 0;
  do put = write(taken.gate.get(), "", 1);
  while (put < 0 && errno == EINTR);
  // A fresh one says what is wrong, if it is still wrong.
  if (put != 1 || taken.process->poll_end()) return std::nullopt;
  taken.gate.reset();
  return taken;
}

}  // namespace plumbline
