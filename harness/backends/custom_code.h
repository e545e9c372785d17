/// Code that a suite brings: a kernel or a plug-in. What both are to the worker.
///
/// Knows its arguments and how to launch; nothing of how inputs are made and results are checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/implementation.h"
#include "core/file_ref.h"
#include "core/run/case.h"

namespace plumbline {

/// Tensors in the order of the declaration's arguments, undefined at scalars.
using BoundTensors = std::vector<at::Tensor>;

class CustomCode {
 public:
  virtual ~CustomCode() = default;

  /// The launch on these tensors, which it keeps; it goes to LibTorch's current stream. Throws
  /// Unsupported where the device cannot do it, Error where the declaration does not fit the code.
  virtual Launch bind(const BoundTensors& tensors) = 0;

  /// What of the suite's files computes it (code_files.h).
  virtual std::vector<FileRef> files() const = 0;
};

/// Compiles, or takes from a cache, what `subject` declares; it must outlive the code. Throws
/// Unsupported where there is no GPU, or no compiler; Error with the compiler's words, or with what
/// the kernel's parameters are instead of what is declared.
std::unique_ptr<CustomCode> open_kernel(const Case& subject, bool is_cuda);

/// Loads the plug-in. Throws Error where it cannot be loaded or has no such op, Unsupported where
/// it says so.
std::unique_ptr<CustomCode> open_plugin(const Case& subject, bool is_cuda);

/// Compiles or assembles a kernel for an architecture ("sm_90a") and checks its declaration, all of
/// it that needs no GPU. Returns what could not be checked, "" where all was. Throws as
/// open_kernel(), and Unsupported for a binary of other GPUs.
std::string check_kernel(const Case& subject, const std::string& architecture);

/// What kernels are compiled for where there is no GPU to ask: Hopper, with what is its alone.
inline constexpr const char* kCheckArchitecture = "sm_90a";

}  // namespace plumbline
