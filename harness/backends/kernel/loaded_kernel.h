/// A kernel's machine code (or PTX) on the current GPU.
///
/// Uses the CUDA run time, which also exists without a driver: the program then starts, and only
/// the calls fail. Knows no case and no tensor.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "backends/kernel/limits.h"
#include "backends/kernel/parameters.h"

namespace plumbline {

class LoadedKernel {
 public:
  /// Loads all code at once, so that no launch waits for loading. `name` is for messages. Throws
  /// Unsupported for an image for other GPUs or a newer driver; Error for a broken image or an
  /// unknown symbol; DeviceError.
  LoadedKernel(const std::string& image, const std::string& symbol, const std::string& name);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  LoadedKernel& operator=(const LoadedKernel&) = delete;

  std::vector<KernelParameter> parameters() const;
  /// For launches of that shape.
  LaunchLimits limits(const LaunchShape& shape) const;
  /// Allows launches with that much dynamic shared memory; needed above 48 KB.
  void allow_shared(std::int64_t bytes);
  /// Allows clusters of more than eight blocks.
  void allow_large_clusters();
  /// Enqueues. `arguments`: the address of each parameter's value.
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
