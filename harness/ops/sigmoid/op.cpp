#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = 1 / (1 + exp(-x)). An exp counts as one operation.
OpSpec sigmoid_op() {
  return {
      .name = "sigmoid",
      .doc = "logistic function, element by element",
      .revision = 1,
      .params = {size_param("elements", "length of the vector")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"4 * elements", "2 * elements * sizeof(dtype)"},
      .backward = {"7 * elements", "3 * elements * sizeof(dtype)"},
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
