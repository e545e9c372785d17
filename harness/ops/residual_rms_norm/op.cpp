#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// s = x + residual, y[r, c] = s[r, c] / sqrt(mean s[r, :]^2 + eps) * weight[c]: the step between
/// two blocks of a transformer with RMS normalisation (Zhang & Sennrich 2019; Llama). Results: y,
/// and s as the residual of the next block. No backward: a network also has a gradient of s, and
/// only gradients of the first result are measured.
///
/// `quantize`: the operand of an 8-bit product takes the place of y, with a float32 scale for each
/// row. scale[r] = max |y[r, :]| / 127 for int8, / 448 for float8_e4m3fn; q = y / scale, rounded to
/// the nearest number of the type. s and y may be rounded to the dtype on the way. If two numbers
/// are (almost) equally near, either is right.
OpSpec residual_rms_norm_op() {
  const char* const kNoScale = "the scale of zeros is 0, and y / scale has no value then";
  return {
      .name = "residual_rms_norm",
      .doc = "sum of two rows x cols matrices, and its root-mean-square normalisation by row",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements normalised together"),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the mean square"},
                 choice_param("quantize", {"none", "int8", "fp8"},
                              "type of the normalised matrix, with a scale for each row; none: "
                              "that of the sum")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"quantize == 'none' or dtype != 'float64'",
                        "scales are float32: quantize takes float32, float16 or bfloat16"}},
      .limits = {{"libtorch", "quantize == 'none' or data != 'zeros'", kNoScale}},
      // Quantised also: magnitude and maximum; product, rounding and conversion.
      .forward = {"(quantize == 'none' ? 5 : 10) * rows * cols",
                  "(3 * rows * cols + cols) * sizeof(dtype) + (quantize == 'none' ? "
                  "rows * cols * sizeof(dtype) : rows * (cols + 4))"},
      .backward = {},
      .reduction_length = "cols",
      .tolerance_factor = 2,
      .checked =
          "with quantize, each 8-bit number by its distance from y / scale, which is half a step "
          "at most, and 3 roundings of y / scale in the dtype",
  };
}

}  // namespace plumbline
