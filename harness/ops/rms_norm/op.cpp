#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "core/run/row_limits.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, c] = x[r, c] / sqrt(mean x[r, :]^2 + eps) (* weight[c]) (Zhang & Sennrich 2019)
OpSpec rms_norm_op() {
  return {
      .name = "rms_norm",
      .doc = "root-mean-square normalisation over the last dimension of rows x cols",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together"),
                 flag_param("affine", true, "with weight"),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the mean square"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {no_float64(),
                 {"cudnn", "affine", "cuDNN's RMS norm always has a weight (affine=true)"},
                 row_limit(kCustomRowMax, "direction == 'backward'"),
                 row_limit(kCustomBackwardRowMax, "direction == 'forward'")},
      .forward = {"(affine ? 4 : 3) * rows * cols",
                  "(2 * rows * cols + (affine ? cols : 0)) * sizeof(dtype)"},
      .backward = {"(affine ? 9 : 6) * rows * cols",
                   "(3 * rows * cols + (affine ? 2 * cols : 0)) * sizeof(dtype)"},
      .reduction_length = "direction == 'backward' and affine ? max(rows, cols) : cols",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
