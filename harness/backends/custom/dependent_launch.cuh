/// Kernels that are made ready while the one before them in their stream still ends (programmatic
/// dependent launch, CUDA Programming Guide): saves an H200 1 to 2 us between two kernels.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace plumbline::custom {

/// First thing in a kernel that launch_dependent() starts: until then, what the kernel before it
/// wrote cannot be read, and what that reads must not be written.
__device__ inline void wait_for_kernel_before() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// Compute capability 9.0 and later; others start a kernel when the one before it has ended.
inline bool has_dependent_launch() {
  static const bool has = [] {
    int device = 0, major = 0;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    return major >= 9;
  }();
  return has;
}

/// As kernel<<<grid, threads, 0, stream>>>(arguments...), beside the end of the kernel before it.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), dim3 grid, dim3 threads, cudaStream_t stream,
                      Arguments... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = threads;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = has_dependent_launch() ? 1 : 0;
  if (const cudaError_t error =
          cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...))
    throw std::runtime_error(std::string("launch: ") + cudaGetErrorString(error));
}

}  // namespace plumbline::custom
