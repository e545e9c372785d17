#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// z = gate / (1 + exp(-gate)) * up: the step between the two products of a feed-forward layer
/// (Shazeer 2020, "GLU Variants Improve Transformer"; Llama). An exp counts as one operation.
/// LibTorch takes two kernels; other backends may fuse them.
OpSpec swiglu_op() {
  return {
      .name = "swiglu",
      .doc = "product of one vector and the sigmoid linear unit of another, element by element",
      .revision = 1,
      .params = {size_param("elements", "length of each vector")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"5 * elements", "3 * elements * sizeof(dtype)"},
      // Computes the sigmoid again (4), and the products of each factor's gradient.
      .backward = {"11 * elements", "5 * elements * sizeof(dtype)"},
      // The unit is rounded before the product if the two are not fused.
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
