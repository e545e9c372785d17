/// Which values a scalar argument of a kernel can take, and their bytes.
///
/// Knows neither expressions nor launches. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/op/declaration.h"
#include "core/value.h"

namespace plumbline {

/// The bytes of a value in that type, little-endian. Nothing where the type cannot hold the value:
/// 300 in int8, 1.5 in int32, 1e39 in float32.
std::optional<std::array<unsigned char, 8>> scalar_bytes(const ScalarType& type,
                                                         const Value& value);

/// Why the type cannot hold the value: "is 300, an integer; int8 is an integer from -128 to 127";
/// "" where it can.
std::string scalar_mistake(const ScalarType& type, const Value& value);

}  // namespace plumbline
