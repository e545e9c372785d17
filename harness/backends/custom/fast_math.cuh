/// Single hardware instructions, less exact than CUDA's functions of the same purpose.
#pragma once

#include <cuda_runtime_api.h>

namespace plumbline::custom {

inline constexpr float kLog2E = 1.4426950408889634f;

template <class T>
inline constexpr bool kIsShort = sizeof(T) < 4;

/// 2^x and 1 / x, one instruction each. Subnormal arguments and results become 0.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ inline float fast_inverse(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// fminf and fmaxf, except that NaN stays NaN.
__device__ inline float at_most(float x, float most) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(most));
  return y;
}
__device__ inline float at_least(float x, float least) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(x), "f"(least));
  return y;
}

}  // namespace plumbline::custom
