/// The logistic function, as kernels compute it.
#pragma once

#include "backends/custom/fast_math.cuh"

namespace plumbline::custom {

/// 1 / (1 + exp(-x)). Rounding to 16 bits hides the approximations of the hardware's instructions.
template <class T>
__device__ float sigmoid(float x) {
  if constexpr (kIsShort<T>) return fast_inverse(1 + fast_exp2(-kLog2E * x));
  return 1 / (1 + expf(-x));
}

}  // namespace plumbline::custom
