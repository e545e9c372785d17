/// Checks the kernels and graphs that suites declare: a worker compiles and checks them, without a
/// GPU.
#pragma once

#include <string>
#include <vector>

#include "core/run/case.h"
#include "workflow/setup/worker_program.h"

namespace plumbline {

/// How many cases were checked, and how.
struct KernelCheck {
  std::size_t compiled = 0;        // CUDA source compiled, or PTX assembled
  std::size_t looked_at = 0;       // binaries: their metadata was read, but no instructions
  std::size_t graphs = 0;          // of cuDNN's operations: read and validated by cudnn-frontend
  std::vector<std::string> notes;  // what could not be checked, without repetition

  /// "4 kernel cases compiled for sm_90a and checked".
  std::string in_words(const std::string& architecture) const;
};

/// Compiles the kernels of these cases for `architecture` ("sm_90a"), except cases that never run,
/// and checks arguments and launch. cudnn-frontend reads graphs, for Hopper. Throws Error that
/// lists each mistake once, with the compiler's file and line.
KernelCheck check_kernels(const std::vector<Case>& cases, const WorkerProgram& worker,
                          const std::string& architecture);

}  // namespace plumbline
