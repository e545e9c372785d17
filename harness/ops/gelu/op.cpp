#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = x * Phi(x), where Phi is the standard normal distribution function; `tanh` approximates it
/// (Hendrycks & Gimpel 2016). An erf, exp or tanh counts as one operation.
OpSpec gelu_op() {
  return {
      .name = "gelu",
      .doc = "Gaussian error linear unit, element by element",
      .revision = 1,
      .params = {size_param("elements", "length of the vector"), approximate_param()},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"(approximate == 'none' ? 5 : 9) * elements", "2 * elements * sizeof(dtype)"},
      .backward = {"(approximate == 'none' ? 11 : 18) * elements", "3 * elements * sizeof(dtype)"},
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
