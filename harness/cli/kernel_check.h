/// Are the kernels that suites declare well? Compiled and checked by a worker, without a GPU.
#pragma once

#include <string>
#include <vector>

#include "cli/worker_program.h"
#include "core/case.h"

namespace plumbline {

/// Compiles the kernels of these cases, those left out that do not run anyway, for `architecture`
/// ("sm_90a") and checks arguments and launch. Returns how many cases were checked. Throws Error
/// with what is wrong, each mistake once, with the compiler's file and line.
std::size_t check_kernels(const std::vector<Case>& cases, const WorkerProgram& worker,
                          const std::string& architecture);

}  // namespace plumbline
