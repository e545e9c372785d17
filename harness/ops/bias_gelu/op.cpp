#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, c] = gelu(x[r, c] + bias[c]), see gelu: the step after the first product of a feed-forward
/// layer. LibTorch takes two kernels; other backends may fuse them.
OpSpec bias_gelu_op() {
  return {
      .name = "bias_gelu",
      .doc = "Gaussian error linear unit of rows x cols plus a bias for each column",
      .revision = 1,
      .params = {size_param("rows", "rows of the matrix"),
                 size_param("cols", "columns, length of the bias"), approximate_param()},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"(approximate == 'none' ? 6 : 10) * rows * cols",
                  "(2 * rows * cols + cols) * sizeof(dtype)"},
      // Computes x + bias again, and sums each column for the bias.
      .backward = {"(approximate == 'none' ? 13 : 20) * rows * cols",
                   "(3 * rows * cols + 2 * cols) * sizeof(dtype)"},
      .reduction_length = "direction == 'forward' ? 1 : rows",
      // The sum is rounded before gelu if the two are not fused.
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
