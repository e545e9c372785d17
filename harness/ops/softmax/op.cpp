#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, c] = exp(x[r, c] - max x[r, :]) / sum_c exp(x[r, c] - max x[r, :])
OpSpec softmax_op() {
  return {
      .name = "softmax",
      .doc = "softmax over the last dimension of rows x cols",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together"),
                 choice_param("layout", {"contiguous", "transposed"},
                              "transposed: the elements normalised together lie rows apart")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_plans("softmax"),
                 {"custom", "layout == 'contiguous'",
                  "the custom softmax is for layout=contiguous"},
                 {"custom", "cols < 2 ** 31", "the custom softmax is for fewer than 2^31 columns"}},
      .forward = {"5 * rows * cols", "2 * rows * cols * sizeof(dtype)"},
      .backward = {"4 * rows * cols", "3 * rows * cols * sizeof(dtype)"},
      .reduction_length = "cols",
  };
}

}  // namespace plumbline
