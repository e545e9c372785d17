#include "core/op/scalar_argument.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace plumbline {
namespace {

using Bytes = std::array<unsigned char, 8>;
using Kind = ScalarType::Kind;

template <class T>
Bytes bytes_of(T value) {
  Bytes bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Smallest and largest integer; for uint64 the largest that a suite can write.
std::pair<std::int64_t, std::int64_t> range_of(const ScalarType& type) {
  const bool has_sign = type.kind == Kind::integer;
  const int bits = type.bytes * 8 - (has_sign ? 1 : 0);
  const std::int64_t most =
      bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  return {has_sign ? -most - 1 : 0, most};
}

/// The bits of a floating-point type of at most 32 bits, rounded to nearest, ties to even (IEEE
/// 754, and OCP 8-bit Floating Point for the 8-bit types). `number` must be in its range.
std::uint32_t narrow_bits(const ScalarType& type, double number) {
  const int exponent_bits = type.bytes * 8 - 1 - type.mantissa_bits;
  const int least_exponent = 2 - (1 << (exponent_bits - 1));
  int exponent = 0;
  std::frexp(number, &exponent);  // 0.5 <= fraction < 1
  exponent = number == 0 ? least_exponent : std::max(exponent - 1, least_exponent);
  const double scaled = std::nearbyint(std::ldexp(std::abs(number), type.mantissa_bits - exponent));
  // The leading bit of a normal number adds the one that the exponent field is short by.
  const auto magnitude =
      std::uint32_t(scaled) + (std::uint32_t(exponent - least_exponent) << type.mantissa_bits);
  return magnitude | (std::signbit(number) ? 1U << (type.bytes * 8 - 1) : 0);
}

std::optional<Bytes> floating_bytes(const ScalarType& type, double number) {
  if (!(std::abs(number) <= type.largest)) return std::nullopt;
  if (type.bytes == 8) return bytes_of(number);
  return type.bytes == 4 ? bytes_of(float(number)) : bytes_of(narrow_bits(type, number));
}

std::string values_in_words(const ScalarType& type) {
  if (type.kind == Kind::boolean) return "true or false";
  if (type.kind == Kind::floating && type.bytes == 8) return "a finite number";
  if (type.kind == Kind::floating) {
    const std::string largest = type.bytes == 4 ? "3.4028235e38" : shortest_text(type.largest);
    return "a number from -" + largest + " to " + largest;
  }
  const auto [least, most] = range_of(type);
  return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

std::optional<Bytes> scalar_bytes(const ScalarType& type, const Value& value) {
  const auto* flag = std::get_if<bool>(&value);
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  if (type.kind == Kind::boolean) return flag ? std::optional(bytes_of(*flag)) : std::nullopt;
  if (type.kind == Kind::floating) {
    if (integer) return floating_bytes(type, double(*integer));
    return real ? floating_bytes(type, *real) : std::nullopt;
  }
  const auto [least, most] = range_of(type);
  if (!integer || *integer < least || *integer > most) return std::nullopt;
  return bytes_of(*integer);  // two's complement: the low bytes are the narrower type
}

std::string scalar_mistake(const ScalarType& type, const Value& value) {
  if (scalar_bytes(type, value)) return "";
  return "is " + to_text(value) + ", " + std::string(kind_in_words(value)) + "; " +
         std::string(type.name) + " is " + values_in_words(type);
}

}  // namespace plumbline
