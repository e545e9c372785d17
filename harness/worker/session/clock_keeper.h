/// plumbline-worker --lock-clocks: keeps a GPU's SM clock locked until its input ends.
///
/// A separate process, because a run may end in any way, even by SIGKILL: the kernel then closes
/// the pipe to this process, and it restores the clock. It measures nothing and opens nothing on
/// the GPU.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Serves `--lock-clocks base|MHZ --device GPU-… --marker FILE`: locks, prints a line of JSON
/// ({"locked": {"observed_hz": …, "left_behind": "…"}}), reads standard input to its end, restores.
/// Ignores signals that ask a process to end: only the end of the input counts. Returns the exit
/// code. Throws Error if the clock cannot be locked or restored.
int keep_clocks(const std::vector<std::string>& arguments);

}  // namespace plumbline
