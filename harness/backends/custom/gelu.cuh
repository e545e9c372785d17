/// The Gaussian error linear unit and its slope (Hendrycks & Gimpel 2016), by erf or tanh.
///
/// CUDA's functions are exact to float32. With 16-bit types they kept an H200 at 70 % of its memory
/// bandwidth (erf). Rounding to 16 bits hides approximations that take a third of the instructions:
///
/// - tanh as the logistic function, by the hardware's 2^x and 1 / x;
/// - erf by the normal distribution's tail, which is 2 to the power of a polynomial: with Q, the
///   share beyond |x|, gelu(x) = max(x, 0) - |x| Q. Abramowitz & Stegun's 7.1.26 was at most 2 %
///   faster, but off by 8.6 units in the last place for x < -3: its error is small relative to 1,
///   the error of an exponent is small relative to Q.
///
/// Largest errors over all values of a type, in units in the last place (rounding alone gives 0.5):
/// erf in bf16 0.54, its slope 0.58; in fp16 0.51 and 0.51; tanh in both 0.50, subnormal slopes
/// 0.54, but in bf16 values below 2^-118 become 0. Near the zero of a slope, at -0.75:
/// 2.6e-4 in bf16, 3e-5 in fp16. Infinite x give the limits, NaN stays NaN.
#pragma once

#include <cuda_fp16.h>

#include "backends/custom/fast_math.cuh"

namespace plumbline::custom {

inline constexpr float kSqrtHalf = 0.70710678118654752f;
inline constexpr float kInverseSqrtTwoPi = 0.39894228040143268f;
inline constexpr float kSqrtTwoOverPi = 0.79788456080286536f;
inline constexpr float kCubic = 0.044715f;

/// Beyond this |x|, gelu is 0 or x in every type; infinity times 0 would be NaN.
inline constexpr float kFar = 16;

/// The a from which T cannot tell the normal distribution's tail from 0.
template <class T>
inline constexpr float kTailEnd = 14;
template <>
inline constexpr float kTailEnd<__half> = 6.25f;

/// Tails are scaled by 2^24, so that fast_exp2 does not flush subnormal ones to 0.
inline constexpr float kTailShift = 24, kTailUnit = 1.0f / (1 << 24);

/// The share of the normal distribution beyond a, for a in [0, kTailEnd<T>], times 2^24.
///
/// The exponents are minimax polynomials for log2(erfc(a / sqrt 2) / 2), by Remez's exchange in 40
/// digits. Degree 8 gives the tail a relative error of 1.9e-4; for fp16, degree 7 and 3.6e-6.
template <class T>
__device__ float scaled_tail(float a) {
  return fast_exp2(kTailShift - 1.000259844f +
                   a * (-1.148211673f +
                        a * (-0.4642453143f +
                             a * (-0.04982734079f +
                                  a * (0.007103867586f +
                                       a * (-6.892407094e-4f +
                                            a * (4.237566991e-5f + a * (-1.476109258e-6f +
                                                                        a * 2.208312681e-8f))))))));
}
template <>
__device__ inline float scaled_tail<__half>(float a) {
  return fast_exp2(
      kTailShift - 0.9999952933f +
      a * (-1.151251074f +
           a * (-0.4584642847f +
                a * (-0.0539602165f +
                     a * (0.008507983216f + a * (-9.305537599e-4f +
                                                 a * (6.160268652e-5f + a * -1.835068721e-6f)))))));
}
__device__ inline float scaled_density(float a) {
  constexpr float kLog2SqrtTwoPi = 1.3257480647f;
  return fast_exp2(kTailShift - kLog2SqrtTwoPi - 0.5f * kLog2E * a * a);
}

/// gelu(x) / x: the normal distribution's CDF at x, or (1 + tanh u(x)) / 2.
template <class T, bool kIsTanh>
__device__ float gelu_share(float x) {
  if (!kIsTanh) return 0.5f * (1 + erff(x * kSqrtHalf));
  if (!kIsShort<T>) return 0.5f * (1 + tanhf(kSqrtTwoOverPi * (x + kCubic * x * x * x)));
  constexpr float kScale = -2 * kLog2E * kSqrtTwoOverPi;  // 1 / (1 + exp(-2 u)), in powers of 2
  return fast_inverse(1 + fast_exp2(x * (kScale + kScale * kCubic * (x * x))));
}

/// `x` has type T or is computed from values of type T.
template <class T, bool kIsTanh>
__device__ float gelu(float x) {
  if constexpr (kIsShort<T> && !kIsTanh) {
    const float a = at_most(fabsf(x), kTailEnd<T>);
    return fmaxf(x, 0) - a * (kTailUnit * scaled_tail<T>(a));
  }
  x = at_least(x, -kFar);
  return x * gelu_share<T, kIsTanh>(x);
}

template <class T, bool kIsTanh>
__device__ float gelu_slope(float x) {
  if constexpr (kIsShort<T> && !kIsTanh) {
    const float a = at_most(fabsf(x), kTailEnd<T>);
    const float below = kTailUnit * (scaled_tail<T>(a) - a * scaled_density(a));  // slope at -a
    return x < 0 ? below : 1 - below;
  }
  x = at_most(at_least(x, -kFar), kFar);
  const float share = gelu_share<T, kIsTanh>(x);
  if (!kIsTanh) return share + x * kInverseSqrtTwoPi * expf(-0.5f * x * x);
  return share +
         x * (share - share * share) * (2 * kSqrtTwoOverPi + 6 * kSqrtTwoOverPi * kCubic * (x * x));
}

}  // namespace plumbline::custom
