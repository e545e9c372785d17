/// The whole cost of a program, and what else the machine did meanwhile.
///
/// The caller should be small: at exec, the kernel counts the caller's memory as the program's.
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
  double others_share = 0;       // of the machine's CPUs, used by others meanwhile
};

/// Runs the program and drops its output. Throws Error if it cannot be started.
ProcessCost cost_of(const std::vector<std::string>& argv);

/// Does `work` in another process, whose memory is freed when it ends. Throws Error if `work`
/// throws.
void apart(const std::function<void()>& work);

}  // namespace plumbline
