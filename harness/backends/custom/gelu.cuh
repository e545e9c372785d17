/// The Gaussian error linear unit and its slope (Hendrycks & Gimpel 2016), by erf or tanh.
#pragma once

#include <cuda_runtime_api.h>

namespace plumbline::custom {

inline constexpr float kSqrtHalf = 0.70710678118654752f;
inline constexpr float kInverseSqrtTwoPi = 0.39894228040143268f;
inline constexpr float kSqrtTwoOverPi = 0.79788456080286536f;
inline constexpr float kCubic = 0.044715f;

template <bool kIsTanh>
__device__ float gelu(float x) {
  if (kIsTanh) return 0.5f * x * (1 + tanhf(kSqrtTwoOverPi * (x + kCubic * x * x * x)));
  return 0.5f * x * (1 + erff(x * kSqrtHalf));
}

template <bool kIsTanh>
__device__ float gelu_slope(float x) {
  if (kIsTanh) {
    const float t = tanhf(kSqrtTwoOverPi * (x + kCubic * x * x * x));
    const float inner = kSqrtTwoOverPi * (1 + 3 * kCubic * x * x);
    return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * inner;
  }
  return 0.5f * (1 + erff(x * kSqrtHalf)) + x * kInverseSqrtTwoPi * expf(-0.5f * x * x);
}

}  // namespace plumbline::custom
