/// Elements of a type in packs of up to 16 bytes, the widest access of a thread, and as float32, in
/// which kernels compute.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "core/dtype.h"

namespace plumbline::custom {

template <class T, int kCount>
struct alignas(sizeof(T) * kCount) Pack {
  T values[kCount];
};

template <class T>
inline constexpr int kPackOf = 16 / int(sizeof(T));

__device__ inline float to_float(float value) { return value; }
__device__ inline float to_float(__half value) { return __half2float(value); }
__device__ inline float to_float(__nv_bfloat16 value) { return __bfloat162float(value); }
__device__ inline float to_float(std::int8_t value) { return float(value); }

/// Unpacks a pack's elements, for bfloat16 two at a time: its bits are the upper half of a float32.
/// One by one, every second element takes one more instruction.
template <class T, int kCount>
__device__ void to_floats(const Pack<T, kCount>& pack, float (&values)[kCount]) {
  if constexpr (std::is_same_v<T, __nv_bfloat16> && kCount % 2 == 0) {
    const auto& pairs = reinterpret_cast<const Pack<std::uint32_t, kCount / 2>&>(pack);
#pragma unroll
    for (int i = 0; i < kCount; i += 2) {
      values[i] = __uint_as_float(pairs.values[i / 2] << 16);
      values[i + 1] = __uint_as_float(pairs.values[i / 2] & 0xffff0000u);
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = to_float(pack.values[i]);
  }
}

template <class T>
__device__ T from_float(float value);
template <>
__device__ inline float from_float<float>(float value) {
  return value;
}
template <>
__device__ inline __half from_float<__half>(float value) {
  return __float2half_rn(value);
}
template <>
__device__ inline __nv_bfloat16 from_float<__nv_bfloat16>(float value) {
  return __float2bfloat16_rn(value);
}
/// Rounds to nearest, ties to even, into -128 … 127. After adding 1.5 * 2^23, the value is in the
/// last byte of the float32; this takes fewer instructions than a conversion.
template <>
__device__ inline std::int8_t from_float<std::int8_t>(float value) {
  return std::int8_t(__float_as_int(value + 12582912.0f));
}

template <class T, int kCount>
__device__ Pack<T, kCount> from_floats(const float (&values)[kCount]) {
  Pack<T, kCount> pack;
#pragma unroll
  for (int i = 0; i < kCount; ++i) pack.values[i] = from_float<T>(values[i]);
  return pack;
}

template <int kCount, class T>
__device__ Pack<T, kCount> load(const T* at) {
  return *reinterpret_cast<const Pack<T, kCount>*>(at);
}
/// Stores in one access. The compiler may split an assignment into several (see the machine code:
/// STG.E.128), each of which touches all of a warp's sectors.
template <int kCount, class T>
__device__ void store(T* at, const Pack<T, kCount>& pack) {
  const auto as = [&](auto whole) {
    using Whole = decltype(whole);
    __stwb(reinterpret_cast<Whole*>(at), reinterpret_cast<const Whole&>(pack));
  };
  if constexpr (sizeof(pack) == sizeof(uint4))
    as(uint4{});
  else if constexpr (sizeof(pack) == sizeof(uint2))
    as(uint2{});
  else
    *reinterpret_cast<Pack<T, kCount>*>(at) = pack;
}

/// Calls body(T{}) with the type of that name: float32, float16 or bfloat16.
template <class Body>
void by_dtype(DType dtype, const Body& body) {
  if (dtype == DType::float32)
    body(float{});
  else if (dtype == DType::float16)
    body(__half{});
  else if (dtype == DType::bfloat16)
    body(__nv_bfloat16{});
  else
    throw std::logic_error("custom kernels are for float32, float16 and bfloat16");
}

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace plumbline::custom
