/// Other libraries beside the same worker: another cuDNN, cuBLAS or NCCL than its own.
///
/// Reads folders and what the worker links; loads nothing.
#pragma once

#include <string>
#include <vector>

#include "schedule/process/child_process.h"

namespace plumbline {

/// The variables that make `worker` load the libraries in `folders` instead of its own: those that
/// it links come first (LD_PRELOAD), and those that they load in turn are found beside them
/// (LD_LIBRARY_PATH). `given`: the worker's other variables, which are kept. `flag`: what named the
/// folders. Throws Error for a folder without a library that the worker links.
EnvironmentVariables with_libraries(const std::string& flag,
                                    const std::vector<std::string>& folders,
                                    const std::string& worker, EnvironmentVariables given);

}  // namespace plumbline
