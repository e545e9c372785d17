/// Code that a suite brings, a kernel or a plug-in, as the worker sees it.
///
/// Knows its arguments and how to launch it, but not how inputs are made or results checked.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/implementation.h"
#include "core/file_ref.h"
#include "core/run/case.h"

namespace plumbline {

/// Tensors in the order of the declaration's arguments; undefined for scalars.
using BoundTensors = std::vector<at::Tensor>;

class CustomCode {
 public:
  virtual ~CustomCode() = default;

  /// The launch on these tensors, which it keeps, in LibTorch's current stream. Throws Unsupported
  /// if the device cannot do it, Error if the declaration does not fit the code.
  virtual Launch bind(const BoundTensors& tensors) = 0;

  /// The suite's files that the code consists of (code_files.h).
  virtual std::vector<FileRef> files() const = 0;
};

/// Compiles what `subject` declares, or takes it from the cache; `subject` must outlive the code.
/// Throws Unsupported without a GPU or a compiler. Throws Error with the compiler's message, or
/// with the kernel's real parameters if they differ from the declared ones.
std::unique_ptr<CustomCode> open_kernel(const Case& subject, bool is_cuda);

/// Loads the plug-in. Throws Error if it cannot be loaded or has no such op, Unsupported if the
/// plug-in reports that.
std::unique_ptr<CustomCode> open_plugin(const Case& subject, bool is_cuda);

/// Compiles or assembles a kernel for an architecture ("sm_90a") and checks its declaration as far
/// as possible without a GPU. Returns what could not be checked; "" if all was checked. Throws as
/// open_kernel(), and Unsupported for a binary for other GPUs.
std::string check_kernel(const Case& subject, const std::string& architecture);

/// The target of kernels if there is no GPU to ask: Hopper, with its architecture-specific
/// features.
inline constexpr const char* kCheckArchitecture = "sm_90a";

}  // namespace plumbline
