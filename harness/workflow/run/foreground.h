/// Runs a program of the user as a shell would: in the foreground, with our output and folder.
///
/// Knows nothing of what it does.
#pragma once

#include <string>
#include <vector>

#include "schedule/process/child_process.h"

namespace plumbline {

/// Gives the program the terminal: Ctrl-C goes to the program, and we wait for its end; from then
/// on this process ignores it. With `has_input` it reads our input, else none. It gets our
/// environment. Throws Error if it cannot be started.
ProcessEnd run_in_foreground(std::vector<std::string> words, bool has_input = true);

}  // namespace plumbline
