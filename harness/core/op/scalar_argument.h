/// Which values a scalar argument of a kernel can take, and the bytes that they are there.
///
/// Knows neither expressions nor launches. Pure.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "core/op/declaration.h"
#include "core/value.h"

namespace plumbline {

/// The bytes of a value of that type, little end first; nothing where it has no such value: 300 of
/// int8, 1.5 of int32, 1e39 of float32.
std::optional<std::array<unsigned char, 8>> scalar_bytes(const ScalarType& type,
                                                         const Value& value);

/// Why the value has no bytes of that type: "is 300, an integer; int8 is an integer from -128 to
/// 127". "" where it has.
std::string scalar_mistake(const ScalarType& type, const Value& value);

}  // namespace plumbline
