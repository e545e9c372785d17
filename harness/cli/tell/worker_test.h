/// plumbline worker test: tests whether a program is a valid worker.
#pragma once

#include "cli/command.h"

namespace plumbline {

/// Adds flags and help of `worker test`; the action tests the program.
Action configure_worker_test(CLI::App& app);

}  // namespace plumbline
