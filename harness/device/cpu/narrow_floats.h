/// Bits of floating-point types that g++ cannot convert to, rounded to nearest, ties to even.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace plumbline {

inline std::uint16_t bfloat16_bits(double value) {
  const auto rounded = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &rounded, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

/// OCP 8-bit floating point 1.0 (2023), saturating as CUDA's conversions do. `fraction_bits`: bits
/// after the point; `least_exponent`: the smallest exponent; `largest`: the largest finite number.
inline std::uint8_t float8_bits(double value, int fraction_bits, int least_exponent,
                                double largest) {
  const unsigned sign = std::signbit(value) ? 0x80u : 0u;
  if (std::isnan(value)) return static_cast<std::uint8_t>(sign | 0x7fu);
  const double size = std::min(std::abs(value), largest);
  int exponent = 0;
  std::frexp(size, &exponent);  // size = m 2^exponent with m in [0.5, 1)
  exponent = size > 0 ? std::max(exponent - 1, least_exponent) : least_exponent;
  // In units of the binade's spacing; the bit before the point carries into the exponent field.
  const auto count =
      static_cast<unsigned>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
  const auto binades = static_cast<unsigned>(exponent - least_exponent);
  return static_cast<std::uint8_t>(sign | ((binades << fraction_bits) + count));
}

inline std::uint8_t float8_e4m3fn_bits(double value) { return float8_bits(value, 3, -6, 448); }
inline std::uint8_t float8_e5m2_bits(double value) { return float8_bits(value, 2, -14, 57344); }

}  // namespace plumbline
