/// The 8-bit types that residual_rms_norm quantises to.
#pragma once

#include "backends/problem.h"

namespace plumbline {

enum class Quantized { none, int8, fp8 };

inline Quantized quantized(const Problem& p) {
  const std::string& name = p.text("quantize");
  return name == "int8" ? Quantized::int8 : name == "fp8" ? Quantized::fp8 : Quantized::none;
}

/// What the largest magnitude of a row becomes: int8 is symmetric, fp8 is float8_e4m3fn.
constexpr double largest_of(Quantized type) { return type == Quantized::int8 ? 127 : 448; }

}  // namespace plumbline
