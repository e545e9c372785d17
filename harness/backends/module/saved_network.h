/// Networks in files, as LibTorch loads them without Python.
///
/// Knows no case and no device of the harness.
#pragma once

#include <memory>
#include <string>

#include "backends/implementation.h"
#include "backends/libtorch/operator_call.h"

namespace plumbline {

class SavedNetwork {
 public:
  virtual ~SavedNetwork() = default;

  /// The tensors that forward() returns for these arguments, in order. Throws what LibTorch throws.
  virtual Tensors run(const Stack& arguments) = 0;
  /// The same network in float64, for reference. Throws NoReference if it cannot be had.
  virtual Tensors run_in_float64(const Stack& arguments) = 0;
};

/// A file of torch.jit.save, for inference, with parameters of that type on that device. Throws
/// Error, which says what the file is instead.
std::unique_ptr<SavedNetwork> open_torch_script(const std::string& path, at::ScalarType type,
                                                at::Device device);

/// A package of torch._inductor.aoti_compile_and_package. It computes with the types and shapes
/// that it was compiled for, and has no float64. Throws Error.
std::unique_ptr<SavedNetwork> open_inductor_package(const std::string& path, at::Device device);

}  // namespace plumbline
