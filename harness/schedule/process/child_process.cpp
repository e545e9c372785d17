#include "schedule/process/child_process.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>

#include "core/error.h"
#include "core/trace.h"
#include "core/uninterrupted.h"
#include "core/words.h"

namespace plumbline {
namespace {

/// Above a child's descriptor numbers (from 3), so that moving one never overwrites another.
constexpr int kLowestOwn = 16;

Descriptor moved_up(const Descriptor& low) {
  Descriptor high(fcntl(low.get(), F_DUPFD_CLOEXEC, kLowestOwn));
  if (high.get() < 0)
    throw Error(std::string("cannot duplicate a descriptor: ") + std::strerror(errno));
  return high;
}

/// The child's part of a start: only calls that are allowed between fork and exec.
[[noreturn]] void become(char* const* argv, char* const* environment,
                         const std::vector<std::pair<int, int>>& passed, int failure,
                         pid_t parent) {
  setpgid(0, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before the line above

  const int null = open("/dev/null", O_RDONLY);
  dup2(null, STDIN_FILENO);
  for (const auto& [ours, number] : passed)
    if (dup2(ours, number) < 0) {
      const int error = errno;
      (void)!write(failure, &error, sizeof error);
      _exit(127);
    }
  int highest = STDERR_FILENO;
  for (const auto& [ours, number] : passed) highest = std::max(highest, number);
  syscall(SYS_close_range, highest + 1, ~0U, CLOSE_RANGE_CLOEXEC);
  execvpe(argv[0], argv, environment);
  const int error = errno;
  (void)!write(failure, &error, sizeof error);
  _exit(127);
}

/// Our environment with those variables set, as `NAME=value`.
std::vector<std::string> environment_with(const EnvironmentVariables& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(name + '=' + value);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!variables.contains(std::string(text.substr(0, text.find('='))))) all.emplace_back(text);
  }
  return all;
}

/// Pointers for exec; they point into `texts`.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Deadline deadline_in(double seconds) {
  // A month is effectively unlimited; the bound avoids overflow for absurd time-outs.
  const double bounded = std::clamp(seconds, 0.0, 30.0 * 86400);
  return std::chrono::steady_clock::now() +
         std::chrono::microseconds(static_cast<std::int64_t>(bounded * 1e6));
}

int milliseconds_until(Deadline deadline) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1'000'000'000));
}

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Pipe make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(std::string("cannot make a pipe: ") + std::strerror(errno));
  const Pipe low{Descriptor(ends[0]), Descriptor(ends[1])};
  return {moved_up(low.read_end), moved_up(low.write_end)};
}

Descriptor open_to_append(const std::string& path) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;
  const Descriptor low(uninterrupted([&] { return open(path.c_str(), kFlags, 0666); }));
  if (low.get() < 0) throw Error("cannot write '" + path + "': " + std::strerror(errno));
  return moved_up(low);
}

Descriptor make_memory_file(const char* name) {
  const Descriptor low(memfd_create(name, MFD_CLOEXEC));
  return low.get() < 0 ? Descriptor() : moved_up(low);
}

NoBrokenPipeSignal::NoBrokenPipeSignal() {
  sigemptyset(&set_);
  sigaddset(&set_, SIGPIPE);
  sigprocmask(SIG_BLOCK, &set_, &before_);
}

NoBrokenPipeSignal::~NoBrokenPipeSignal() {
  const timespec now{};
  if (!sigismember(&before_, SIGPIPE)) sigtimedwait(&set_, nullptr, &now);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

std::string ProcessEnd::words() const {
  if (signal == 0) return "exited with code " + std::to_string(exit_code);
  const char* name = sigabbrev_np(signal);
  return "killed by signal " + std::to_string(signal) +
         (name ? " (SIG" + std::string(name) + ")" : "");
}

ChildProcess::ChildProcess(std::vector<std::string> argv,
                           const std::vector<std::pair<int, int>>& passed,
                           const EnvironmentVariables& variables) {
  std::vector<std::string> environment = environment_with(variables);
  const std::vector<char*> arguments = pointers_to(argv), settings = pointers_to(environment);
  Pipe failure = make_pipe();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw Error("cannot start '" + argv[0] + "': fork: " + std::strerror(errno));
  if (pid_ == 0) become(arguments.data(), settings.data(), passed, failure.write_end.get(), parent);
  setpgid(pid_, pid_);  // in parent and child, whoever runs first
  failure.write_end.reset();
  int error = 0;
  const auto got =
      uninterrupted([&] { return read(failure.read_end.get(), &error, sizeof error); });
  if (got == static_cast<ssize_t>(sizeof error)) {
    reap(0);
    throw Error("cannot start '" + argv[0] + "': " + std::strerror(error));
  }
  end_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  trace([&] { return "process " + std::to_string(pid_) + " starts: " + shell_command(argv); });
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) kill();
}

void ChildProcess::reap(int options) {
  if (ended_) return;
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options) != 0)
    if (errno != EINTR) break;
  if (info.si_pid == 0 && (options & WNOHANG)) return;
  // Its children are in its group. Until the child is reaped, its process id cannot be reused.
  ::kill(-pid_, SIGKILL);
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0)
    if (errno != EINTR) break;
  ended_ = ProcessEnd{};
  if (WIFSIGNALED(status)) {
    ended_->signal = WTERMSIG(status);
    ended_->by_us = killed_;
  } else {
    ended_->exit_code = WEXITSTATUS(status);
  }
  trace([&] { return "process " + std::to_string(pid_) + " " + ended_->words(); });
}

const std::optional<ProcessEnd>& ChildProcess::poll_end() {
  reap(WNOHANG);
  return ended_;
}

const std::optional<ProcessEnd>& ChildProcess::wait(Deadline deadline) {
  constexpr int kBlindPoll_ms = 20;  // if there is no descriptor to wait on
  while (!poll_end()) {
    const int left_ms = milliseconds_until(deadline);
    if (left_ms == 0) break;
    pollfd watched{end_.get(), POLLIN, 0};
    poll(&watched, 1, end_.get() >= 0 ? left_ms : std::min(left_ms, kBlindPoll_ms));
  }
  return ended_;
}

const ProcessEnd& ChildProcess::kill() {
  if (!poll_end()) {
    killed_ = true;
    ::kill(-pid_, SIGKILL);
    reap(0);
  }
  return *ended_;
}

ProgramOutput run_program(const std::vector<std::string>& argv, double timeout_s,
                          const EnvironmentVariables& variables) {
  std::array<Pipe, 2> pipes{make_pipe(), make_pipe()};
  ProgramOutput output;
  std::array<std::string*, 2> texts{&output.out, &output.err};
  ChildProcess child(
      argv, {{pipes[0].write_end.get(), STDOUT_FILENO}, {pipes[1].write_end.get(), STDERR_FILENO}},
      variables);
  for (Pipe& pipe : pipes) pipe.write_end.reset();
  const Deadline deadline = deadline_in(timeout_s);
  while (pipes[0].read_end.get() >= 0 || pipes[1].read_end.get() >= 0) {
    std::array<pollfd, 2> watched{
        {{pipes[0].read_end.get(), POLLIN, 0}, {pipes[1].read_end.get(), POLLIN, 0}}};
    const int left_ms = milliseconds_until(deadline);
    if (left_ms == 0 || poll(watched.data(), watched.size(), left_ms) == 0) break;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (watched[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t got = read(pipes[i].read_end.get(), buffer, sizeof buffer);
      if (got > 0) texts[i]->append(buffer, static_cast<std::size_t>(got));
      if (got == 0) pipes[i].read_end.reset();
    }
  }
  output.timed_out = !child.wait(deadline);
  output.end = child.kill();
  return output;
}

}  // namespace plumbline
