/// A kernel's machine code (or PTX) on the current GPU.
///
/// Through the CUDA run time, which is there without a driver; its calls fail then, and the program
/// starts. Knows no case and no tensor.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "backends/kernel/limits.h"
#include "backends/kernel/parameters.h"

namespace plumbline {

class LoadedKernel {
 public:
  /// Loads it whole, so that no launch has to wait for that. `name` is for messages. Throws
  /// Unsupported for an image of other GPUs or of a newer driver, Error for one that is broken or
  /// has no kernel of that symbol, DeviceError.
  LoadedKernel(const std::string& image, const std::string& symbol, const std::string& name);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  std::vector<KernelParameter> parameters() const;
  LaunchLimits limits() const;
  /// Allows launches that much dynamic shared memory, beyond 48 KB where that is needed.
  void allow_shared(std::int64_t bytes);
  /// `arguments` hold the address of each parameter's value. Enqueued.
  void launch(const LaunchShape& shape, void** arguments, cudaStream_t stream) const;

 private:
  void load(const std::string& image);
  void unload();
  void refuse_unfit(cudaError_t code);
  const void* function() const { return reinterpret_cast<const void*>(kernel_); }
  std::string name_;
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

}  // namespace plumbline
