#include "schedule/launched_worker.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/value.h"
#include "protocol/messages.h"

namespace plumbline {
namespace {

/// The shortest chain so far; "" if none is known.
std::string known_chain(const WorkerCommand& command) {
  const double seconds = command.fastest_chain->seconds();
  return std::isfinite(seconds) ? shortest_text(seconds) : "";
}

/// The arena for a worker of that kind, whose tensors may lie in none.
std::string arena_for(WorkerKind kind, const std::string& arena) {
  return kind.allocator == TensorAllocator::arena ? arena : kNoArena;
}

/// `gate`: only for a worker that stands by.
LaunchedWorker launch(const WorkerCommand& command, WorkerKind kind, const std::string& arena,
                      Pipe gate) {
  LaunchedWorker launched;
  launched.log = open_to_append(command.log_path);
  Pipe requests = make_pipe(), answers = make_pipe();
  std::vector<std::string> argv = kind.in_python ? command.in_python : command.argv;
  argv.insert(argv.end(), {"--profile", std::string(name_of(kind.profile))});
  if (!arena.empty()) argv.insert(argv.end(), {"--arena", arena});
  std::vector<std::pair<int, int>> passed{{launched.log.get(), STDOUT_FILENO},
                                          {launched.log.get(), STDERR_FILENO},
                                          {requests.read_end.get(), kRequestDescriptor},
                                          {answers.write_end.get(), kAnswerDescriptor}};
  EnvironmentVariables variables = command.variables;
  variables["CUDA_DEVICE_MAX_CONNECTIONS"] = std::to_string(kind.connections);
  if (const std::string_view settings = settings_of(kind.allocator); !settings.empty())
    variables[kAllocatorVariable] = settings;
  if (const std::string chain_s = known_chain(command); !chain_s.empty())
    variables[kContextChainVariable] = chain_s;
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
  if (command.sandbox) {
    SandboxStart start = sandboxed(*command.sandbox, argv, variables);
    argv = std::move(start.argv);
    launched.group = std::move(start.group);
    variables.clear();
  }
  launched.process = std::make_unique<ChildProcess>(argv, passed, variables);
  launched.requests = std::move(requests.write_end);
  launched.answers = std::move(answers.read_end);
  launched.gate = std::move(gate.write_end);
  fcntl(launched.requests.get(), F_SETFL, O_NONBLOCK);
  return launched;  // closes our copies of the child's ends, which would keep the pipes open
}

}  // namespace

LaunchedWorker launch_worker(const WorkerCommand& command, WorkerKind kind,
                             const std::string& arena) {
  return launch(command, kind, arena_for(kind, arena), Pipe());
}

LaunchedWorker launch_standby(const WorkerCommand& command, WorkerKind kind) {
  return launch(command, kind, arena_for(kind, ""), make_pipe());
}

std::optional<LaunchedWorker> Successors::pick(WorkerKind kind) {
  const auto found = std::ranges::find(waiting_, kind, &Waiting::kind);
  if (found == waiting_.end()) return std::nullopt;
  LaunchedWorker picked = std::move(found->worker);
  waiting_.erase(found);
  return picked;
}

void Successors::expect(std::span<const WorkerKind> kinds) noexcept {
  std::vector<Waiting> expected;
  for (const WorkerKind kind : kinds) try {
      std::optional<LaunchedWorker> known = pick(kind);
      expected.push_back({kind, known ? std::move(*known) : launch_standby(command_, kind)});
    } catch (const std::exception&) {
      continue;  // not needed yet, so nothing is lost
    }
  waiting_ = std::move(expected);
}

std::optional<LaunchedWorker> Successors::take(WorkerKind kind, const std::string& arena) {
  std::optional<LaunchedWorker> taken = pick(kind);
  if (!taken) return std::nullopt;
  taken->log_start = lseek(taken->log.get(), 0, SEEK_END);  // its predecessor used the same log
  const NoBrokenPipeSignal guard;
  // Short enough to fit into a pipe at once.
  const std::string line = to_line(TurnLine{arena_for(kind, arena), known_chain(command_)});
  ssize_t put = 0;
  do put = write(taken->gate.get(), line.data(), line.size());
  while (put < 0 && errno == EINTR);
  // The caller then starts a new worker, which reports what is wrong.
  if (put != ssize_t(line.size()) || taken->process->poll_end()) return std::nullopt;
  taken->gate.reset();
  return taken;
}

}  // namespace plumbline
