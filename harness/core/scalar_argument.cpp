#include "core/scalar_argument.h"

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

/// Smallest and largest integer; of uint64 the largest that a suite can write.
std::pair<std::int64_t, std::int64_t> range_of(const ScalarType& type) {
  const bool has_sign = type.kind == Kind::integer;
  const int bits = type.bytes * 8 - (has_sign ? 1 : 0);
  const std::int64_t most =
      bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  return {has_sign ? -most - 1 : 0, most};
}

std::optional<Bytes> floating_bytes(const ScalarType& type, double number) {
  const double largest = type.bytes == 4 ? double(std::numeric_limits<float>::max())
                                         : std::numeric_limits<double>::max();
  if (!(std::abs(number) <= largest)) return std::nullopt;
  return type.bytes == 4 ? bytes_of(float(number)) : bytes_of(number);
}

std::string values_in_words(const ScalarType& type) {
  if (type.kind == Kind::boolean) return "true or false";
  if (type.kind == Kind::floating)
    return type.bytes == 4 ? "a number from -3.4028235e38 to 3.4028235e38" : "a finite number";
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
  return bytes_of(*integer);  // two's complement: its low bytes are those of the narrower type
}

std::string scalar_mistake(const ScalarType& type, const Value& value) {
  if (scalar_bytes(type, value)) return "";
  return "is " + to_text(value) + ", " + std::string(kind_in_words(value)) + "; " +
         std::string(type.name) + " is " + values_in_words(type);
}

}  // namespace plumbline
