#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, c] = x[r, c] - max x[r, :] - log(sum_c exp(x[r, c] - max x[r, :])). An exp or log counts as
/// one operation; computations once per row are not counted.
OpSpec log_softmax_op() {
  return {
      .name = "log_softmax",
      .doc = "logarithm of the softmax over the last dimension of rows x cols",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_plans("softmax")},
      .forward = {"5 * rows * cols", "2 * rows * cols * sizeof(dtype)"},
      .backward = {"4 * rows * cols", "3 * rows * cols * sizeof(dtype)"},
      .reduction_length = "cols",
  };
}

}  // namespace plumbline
