/// A program that we start, watch and end. It never outlives us, and waiting for it always ends.
///
/// Knows nothing of workers or of the protocol on the descriptors.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace plumbline {

using Deadline = std::chrono::steady_clock::time_point;
/// `seconds` from now.
Deadline deadline_in(double seconds);
/// Milliseconds left, for poll(): 0 after the deadline, rounded up before.
int milliseconds_until(Deadline deadline);

/// A descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  int get() const { return number_; }
  void reset();

 private:
  int number_;
};

struct Pipe {
  Descriptor read_end, write_end;
};
/// Both ends are closed on exec. Throws Error.
Pipe make_pipe();
/// An empty file in memory that vanishes with its last descriptor. Below 0 without kernel support.
Descriptor make_memory_file(const char* name);
/// The file, created if missing, for reading and appending. Throws Error with the path.
Descriptor open_to_append(const std::string& path);

/// While this object lives, writing to a dead process is an error and does not end this program.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal();
  ~NoBrokenPipeSignal();
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t set_, before_;
};

/// Name -> value.
using EnvironmentVariables = std::map<std::string, std::string>;

/// How a program ended.
struct ProcessEnd {
  int exit_code = 0;
  int signal = 0;             // 0 = it ended by itself, with exit_code
  bool by_us = false;         // we killed it
  std::string words() const;  // "killed by signal 11 (SIGSEGV)", "exited with code 3"
};

class ChildProcess {
 public:
  /// Starts `argv[0]`, found in PATH. The child gets /dev/null as input, only the descriptors in
  /// `passed` (ours, its number), and our environment with `variables` set. It has its own process
  /// group (Ctrl-C at the terminal does not reach it) and dies when we die. Throws Error naming the
  /// program.
  ChildProcess(std::vector<std::string> argv, const std::vector<std::pair<int, int>>& passed,
               const EnvironmentVariables& variables = {});
  /// Kills it if it still runs.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Becomes readable when the child ends; -1 without kernel support.
  int end_descriptor() const { return end_.get(); }
  /// How it ended; nothing while it runs.
  const std::optional<ProcessEnd>& poll_end();
  /// Waits until it ends or the deadline passes.
  const std::optional<ProcessEnd>& wait(Deadline deadline);
  /// Kills the child and its whole process group, and reaps it.
  const ProcessEnd& kill();

 private:
  void reap(int options);

  pid_t pid_ = -1;
  Descriptor end_;
  bool killed_ = false;
  std::optional<ProcessEnd> ended_;
};

struct ProgramOutput {
  ProcessEnd end;
  bool timed_out = false;
  std::string out, err;
};

/// Runs a program to its end, or kills it after `timeout_s`; `variables` as for ChildProcess.
/// Throws Error if it cannot be started.
ProgramOutput run_program(const std::vector<std::string>& argv, double timeout_s,
                          const EnvironmentVariables& variables = {});

}  // namespace plumbline
