#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = max(x, 0)
OpSpec relu_op() {
  return {
      .name = "relu",
      .doc = "rectified linear unit, element by element",
      .revision = 1,
      .params = {size_param("elements", "length of the vector")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"elements", "2 * elements * sizeof(dtype)"},
      .backward = {"elements", "3 * elements * sizeof(dtype)"},
      .exact = "true",
  };
}

}  // namespace plumbline
