/// A program that we start, watch and end: it never outlives us, and we never wait for it in vain.
///
/// Knows nothing of workers and of what is said over the descriptors that it is given.
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
/// Milliseconds that are left for poll(): 0 once it has passed, rounded up before.
int milliseconds_until(Deadline deadline);

/// A descriptor that is closed with its owner.
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
/// An empty file in memory, gone with its last descriptor. Below 0 where the kernel has none.
Descriptor make_memory_file(const char* name);
/// The file, made where it is not there, read and appended to. Throws Error with the path.
Descriptor open_to_append(const std::string& path);

/// While it lives, a write to a process that has died is an error, not the end of this program.
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
  /// Starts `argv[0]`, looked up in PATH. The child has /dev/null as its input, of our descriptors
  /// exactly those in `passed` (ours, its number), our environment with `variables` set, a process
  /// group of its own (a Ctrl-C at the terminal does not reach it), and dies when we die. Throws
  /// Error naming the program.
  ChildProcess(std::vector<std::string> argv, const std::vector<std::pair<int, int>>& passed,
               const EnvironmentVariables& variables = {});
  /// Kills what still lives.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  /// Becomes readable when the child ends; -1 where the kernel has no such descriptors.
  int end_descriptor() const { return end_.get(); }
  /// How it ended, once it has.
  const std::optional<ProcessEnd>& poll_end();
  /// Waits until it ends or the deadline passes.
  const std::optional<ProcessEnd>& wait(Deadline deadline);
  /// Kills the child and all of its group, and reaps it.
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
