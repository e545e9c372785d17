// y = gelu(x + bias), row by row, in one pass over memory: what a transformer's feed-forward layer
// does between its two products. gelu is the exact one, by erf.
#include "numbers.cuh"

__device__ inline float gelu(float x) { return 0.5f * x * (1.0f + erff(x * 0.70710678f)); }

// Sixteen bytes a thread and access: the widest load there is before Blackwell. `cols` is a
// multiple of the elements in them.
template <class T>
__global__ void bias_gelu(const T* __restrict__ x, const T* __restrict__ bias, T* __restrict__ y,
                          long long elements, int cols) {
  constexpr int kElements = 16 / sizeof(T);
  const long long thread = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long first = thread * kElements;
  if (first >= elements) return;
  alignas(16) T in[kElements], offset[kElements], out[kElements];
  *reinterpret_cast<uint4*>(in) = *reinterpret_cast<const uint4*>(x + first);
  *reinterpret_cast<uint4*>(offset) = *reinterpret_cast<const uint4*>(bias + first % cols);
#pragma unroll
  for (int i = 0; i < kElements; ++i)
    out[i] = from_float<T>(gelu(to_float(in[i]) + to_float(offset[i])));
  *reinterpret_cast<uint4*>(y + first) = *reinterpret_cast<const uint4*>(out);
}
