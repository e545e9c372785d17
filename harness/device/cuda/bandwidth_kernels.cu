#include <stdexcept>

#include "device/cuda/bandwidth_kernels.h"
#include "device/cuda/kernels.h"

namespace plumbline::cuda {
namespace {

constexpr int kThreads = 256;
/// Accesses in flight in a thread.
constexpr int kInFlight = 4;

__device__ unsigned bits_of(unsigned value) { return value; }
__device__ unsigned bits_of(uint2 value) { return value.x ^ value.y; }
__device__ unsigned bits_of(uint4 value) { return value.x ^ value.y ^ value.z ^ value.w; }

template <class T>
__global__ void copy_kernel(T* __restrict__ to, const T* __restrict__ from, std::size_t count) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i + (kInFlight - 1) * stride < count; i += kInFlight * stride) {
    T values[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) values[k] = from[i + k * stride];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) to[i + k * stride] = values[k];
  }
  for (; i < count; i += stride) to[i] = from[i];
}

template <class T>
__global__ void read_kernel(const T* __restrict__ from, std::size_t count, unsigned* sink) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  unsigned seen = 0;
  for (; i + (kInFlight - 1) * stride < count; i += kInFlight * stride) {
    T values[kInFlight];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) values[k] = from[i + k * stride];
#pragma unroll
    for (int k = 0; k < kInFlight; ++k) seen |= bits_of(values[k]);
  }
  for (; i < count; i += stride) seen |= bits_of(from[i]);
  if (seen == 0xdeadbeefu) *sink = seen;  // never true: the memory is all zeros or all ones
}

template <class T>
__global__ void write_kernel(T* __restrict__ to, std::size_t count, T value) {
  const std::size_t stride = std::size_t(gridDim.x) * blockDim.x;
  for (std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    to[i] = value;
}

/// Calls `launch` with a null pointer to the type of an access's width.
template <class Launch>
void by_width(int width, const Launch& launch) {
  if (width == 4)
    launch(static_cast<unsigned*>(nullptr));
  else if (width == 8)
    launch(static_cast<uint2*>(nullptr));
  else if (width == 16)
    launch(static_cast<uint4*>(nullptr));
  else
    throw std::logic_error("an access is 4, 8 or 16 bytes wide");
}

}  // namespace

void launch_plain_copy(void* to, const void* from, std::size_t bytes, AccessShape shape,
                       cudaStream_t stream) {
  by_width(shape.width, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    copy_kernel<T><<<unsigned(shape.blocks), kThreads, 0, stream>>>(
        static_cast<T*>(to), static_cast<const T*>(from), bytes / sizeof(T));
  });
  check(cudaGetLastError(), "launch of the copy kernel");
}

void launch_plain_read(const void* from, std::size_t bytes, void* sink, AccessShape shape,
                       cudaStream_t stream) {
  by_width(shape.width, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    read_kernel<T><<<unsigned(shape.blocks), kThreads, 0, stream>>>(
        static_cast<const T*>(from), bytes / sizeof(T), static_cast<unsigned*>(sink));
  });
  check(cudaGetLastError(), "launch of the read kernel");
}

void launch_plain_write(void* to, std::size_t bytes, AccessShape shape, cudaStream_t stream) {
  by_width(shape.width, [&](auto* type) {
    using T = std::remove_pointer_t<decltype(type)>;
    write_kernel<T><<<unsigned(shape.blocks), kThreads, 0, stream>>>(static_cast<T*>(to),
                                                                     bytes / sizeof(T), T{});
  });
  check(cudaGetLastError(), "launch of the write kernel");
}

}  // namespace plumbline::cuda
