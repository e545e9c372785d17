/// plumbline-worker --lock-clocks: keeps a GPU's SM clock locked until its input ends.
///
/// A process of its own, because a run may end in any way, SIGKILL included: the kernel then closes
/// the pipe that is this process's input, and the clock is restored. It measures nothing and opens
/// nothing on the GPU.
#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// Serves `--lock-clocks base|MHZ --device GPU-… --marker FILE`: locks, prints a line of JSON
/// ({"locked": {"observed_hz": …, "left_behind": "…"}}), reads standard input to its end, restores.
/// Signals that ask a process to end are ignored: only the end of the input counts. Returns the
/// exit code. Throws Error when the clock cannot be locked or restored.
int keep_clocks(const std::vector<std::string>& arguments);

}  // namespace plumbline
