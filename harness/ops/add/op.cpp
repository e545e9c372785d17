#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// z = x + y. No backward: both gradients are the output's gradient, so nothing is computed.
OpSpec add_op() {
  return {
      .name = "add",
      .doc = "sum of two vectors, element by element",
      .revision = 1,
      .params = {size_param("elements", "length of each vector")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"elements", "3 * elements * sizeof(dtype)"},
      .backward = {},
      .tolerance_factor = 1,
  };
}

}  // namespace plumbline
