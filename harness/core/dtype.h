/// Element types by the names that suites, ids and results use.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace plumbline {

enum class DType {
  float64,
  float32,
  float16,
  bfloat16,
  int64,
  int32,
  int16,
  int8,
  uint8,
  boolean,
  float8_e4m3fn,
  float8_e5m2,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;
  int bytes;  // storage of one element
  /// Spacing of numbers at 1 (IEEE 754, bfloat16, OCP 8-bit floating point 1.0); 0 for integers.
  double epsilon;
};

inline constexpr std::array<DTypeInfo, 12> kDTypes{{
    {DType::float64, "float64", 8, 2.220446049250313e-16},
    {DType::float32, "float32", 4, 1.1920928955078125e-7},
    {DType::float16, "float16", 2, 9.765625e-4},
    {DType::bfloat16, "bfloat16", 2, 7.8125e-3},
    {DType::int64, "int64", 8, 0},
    {DType::int32, "int32", 4, 0},
    {DType::int16, "int16", 2, 0},
    {DType::int8, "int8", 1, 0},
    {DType::uint8, "uint8", 1, 0},
    {DType::boolean, "bool", 1, 0},
    {DType::float8_e4m3fn, "float8_e4m3fn", 1, 0.125},
    {DType::float8_e5m2, "float8_e5m2", 1, 0.25},
}};

constexpr const DTypeInfo& info(DType dtype) { return kDTypes[static_cast<std::size_t>(dtype)]; }

constexpr std::optional<DType> dtype_named(std::string_view name) {
  for (const DTypeInfo& row : kDTypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

constexpr bool is_floating(DType dtype) { return info(dtype).epsilon > 0; }

constexpr bool is_float8(DType dtype) {
  return dtype == DType::float8_e4m3fn || dtype == DType::float8_e5m2;
}

}  // namespace plumbline
