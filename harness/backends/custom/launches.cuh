/// Launches that depend on what the current device is and can.
#pragma once

#include <cuda_runtime.h>

namespace plumbline::custom {

/// Of the current device.
inline int device_attribute(cudaDeviceAttr attribute) {
  int device = 0, value = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&value, attribute, device);
  return value;
}

/// Enqueues a kernel that starts while the kernel before it ends (programmatic dependent launch,
/// from Hopper on; saves an H200 1 to 2 us): it calls wait_for_kernel_before() before it reads what
/// that one writes, or writes what that one reads.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), dim3 grid, dim3 block, cudaStream_t stream,
                      const Arguments&... arguments) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = device_attribute(cudaDevAttrComputeCapabilityMajor) >= 9 ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, arguments...);
}

__device__ inline void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

}  // namespace plumbline::custom
