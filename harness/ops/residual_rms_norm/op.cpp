#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// s = x + residual, y[r, c] = s[r, c] / sqrt(mean s[r, :]^2 + eps) * weight[c]: the step between
/// two blocks of a transformer with RMS normalisation (Zhang & Sennrich 2019; Llama). Results: y,
/// and s as the residual of the next block. No backward: a network also has a gradient of s, and
/// only gradients of the first result are measured.
OpSpec residual_rms_norm_op() {
  return {
      .name = "residual_rms_norm",
      .doc = "sum of two rows x cols matrices, and its root-mean-square normalisation by row",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together"),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the mean square"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"5 * rows * cols", "(4 * rows * cols + cols) * sizeof(dtype)"},
      .backward = {},
      .reduction_length = "cols",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
