/// What a program costs from start to end, and what else the machine did meanwhile.
///
/// Its caller should be small: the kernel counts the caller's memory as the program's (at exec).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace plumbline {

struct ProcessCost {
  int exit_code = -1;  // -1: killed by a signal
  double wall_s = 0;
  double cpu_s = 0;              // user and system, of all threads
  double peak_memory_bytes = 0;  // resident
  double others_share = 0;       // of the machine's CPUs, used by everybody else meanwhile
};

/// Runs the program; what it prints is dropped. Throws Error where it cannot be started.
ProcessCost cost_of(const std::vector<std::string>& argv);

/// Does something in a process of its own, whose memory is gone when it ends. Throws Error where
/// it throws.
void apart(const std::function<void()>& work);

}  // namespace plumbline
