#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "core/run/row_limits.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, c] = (x[r, c] - mean x[r, :]) / sqrt(var x[r, :] + eps) (* weight[c] + bias[c])
OpSpec layer_norm_op() {
  return {
      .name = "layer_norm",
      .doc = "layer normalisation over the last dimension of rows x cols",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together"),
                 flag_param("affine", true, "with weight and bias"),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the variance"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64(),
                 {"cudnn", "affine",
                  "cuDNN's layer norm always has a weight and a bias (affine=true)"},
                 row_limit(kCustomRowMax, "direction == 'backward'"),
                 row_limit(kCustomBackwardRowMax, "direction == 'forward'")},
      .forward = {"(affine ? 8 : 6) * rows * cols",
                  "(2 * rows * cols + (affine ? 2 * cols : 0)) * sizeof(dtype)"},
      .backward = {"(affine ? 14 : 10) * rows * cols",
                   "(3 * rows * cols + (affine ? 3 * cols : 0)) * sizeof(dtype)"},
      .reduction_length = "direction == 'backward' and affine ? max(rows, cols) : cols",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
