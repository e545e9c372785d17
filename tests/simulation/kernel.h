/// The system calls of the simulated process: time, disk, process ids, its end, Ctrl-C.
///
/// kernel.cpp defines the functions of libc that the harness calls for these, so that the harness
/// itself is not changed. Outside a life they do what libc does. One simulated process at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "simulation/dice.h"
#include "simulation/tally.h"

namespace plumbline::simulation {

/// Thrown where the simulated process is killed. Not an exception of Plumbline, so nothing handles
/// it. What the process would do afterwards has no effect on files.
struct Death {};

/// What a broken invariant means for the user.
enum class Harm { other, lost_visit, wrong_verdict };

/// A broken invariant; ends the scenario.
struct Violation {
  std::string what;
  Harm harm = Harm::other;
};

[[noreturn]] inline void violate(const std::string& what, Harm harm = Harm::other) {
  throw Violation{what, harm};
}

/// Steps are calls that change files, and calls of workers. They are counted from 0 in each life.
struct KernelFaults {
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t dies_at = kNever;
  std::uint64_t interrupted_at = kNever;
  std::uint64_t full_from = kNever;  // writes fail with ENOSPC from this step on
  std::uint64_t jumps_at = kNever;   // the clock, by jump_s
  std::int64_t jump_s = 0;
  bool is_slow = false;  // a write takes up to a minute
};

class Kernel {
 public:
  explicit Kernel(Dice dice, Tally& tally) : dice_(dice), tally_(tally) {}

  /// A new process begins. `pid`: as it sees itself.
  void begin_life(int pid, const KernelFaults& faults);
  /// Takes back a Ctrl-C that nobody has read.
  void end_life();

  /// A point at which something may happen. Throws Death.
  void step();
  /// The same before a write of that many bytes; returns how many of them reach the disk. Below
  /// `bytes`: the disk is full, or the process dies afterwards (is_dead()).
  std::uint64_t write_step(std::uint64_t bytes);

  bool is_dead() const { return is_dead_; }
  bool is_full() const { return is_full_; }
  bool was_interrupted() const { return was_interrupted_; }
  int pid() const { return pid_; }
  std::uint64_t random() { return dice_.next(); }

  void pass_time(double seconds) { monotonic_ns_ += std::int64_t(1e9 * seconds); }
  std::int64_t monotonic_ns() const { return monotonic_ns_; }
  std::int64_t realtime_ns() const { return monotonic_ns_ + offset_ns_; }

  /// Called where the process sleeps.
  void sleep(double seconds);
  /// A lock that another process holds until the process has slept that many times.
  void hold_for_sleeps(int descriptor, int sleeps);

 private:
  void happen(std::uint64_t at);

  Dice dice_;
  Tally& tally_;
  KernelFaults faults_;
  std::uint64_t steps_ = 0;
  int pid_ = 1000;
  bool is_dead_ = false, is_full_ = false, was_interrupted_ = false;
  std::int64_t monotonic_ns_ = 1'000'000'000'000;
  std::int64_t offset_ns_ = 1'795'000'000'000'000'000;  // of the wall clock
  int held_ = -1, held_for_ = 0;
};

/// The kernel of the calling thread's process, null outside a life.
Kernel* kernel();

/// While it lives, the calling thread belongs to the simulated process.
class InProcess {
 public:
  explicit InProcess(Kernel* of);
  ~InProcess();
  InProcess(const InProcess&) = delete;
  InProcess& operator=(const InProcess&) = delete;

 private:
  Kernel* before_;
};

/// Seconds of the machine's own clock.
double real_s();

}  // namespace plumbline::simulation
