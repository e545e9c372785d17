#include "core/op_limits.h"
#include "core/op_spec.h"

namespace plumbline {

/// y = x * Phi(x), Phi being the standard normal distribution function; `tanh` approximates it
/// (Hendrycks & Gimpel 2016). An erf, exp or tanh counts as one operation.
OpSpec gelu_op() {
  return {
      .name = "gelu",
      .doc = "Gaussian error linear unit, element by element",
      .revision = 1,
      .params = {{"elements", ParamKind::integer, std::nullopt, 1, {}, "length of the vector"},
                 {"approximate",
                  ParamKind::text,
                  "none",
                  std::nullopt,
                  {"none", "tanh"},
                  "none: by erf; tanh: the approximation of BERT and GPT-2"}},
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
