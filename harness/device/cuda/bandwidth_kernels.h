/// Kernels that only move memory. Calibration tries them in several shapes and takes the fastest.
/// Each enqueues on `stream` and throws DeviceError.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace plumbline::cuda {

/// How a kernel accesses memory.
struct AccessShape {
  int width = 16;  // bytes of one access: 4, 8, 16
  int blocks = 1;  // of 256 threads
};

/// `bytes` must be a multiple of 16.
void launch_plain_copy(void* to, const void* from, std::size_t bytes, AccessShape shape,
                       cudaStream_t stream);
/// `sink` is never written; it keeps the compiler from removing the reads.
void launch_plain_read(const void* from, std::size_t bytes, void* sink, AccessShape shape,
                       cudaStream_t stream);
void launch_plain_write(void* to, std::size_t bytes, AccessShape shape, cudaStream_t stream);

}  // namespace plumbline::cuda
