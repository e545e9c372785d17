#include "core/op_spec.h"

namespace plumbline {

/// y = q * scale, q being int8 and the scale float32, of the tensor or of each row. `dtype` is that
/// of the result.
OpSpec dequantize_int8_op() {
  return {
      .name = "dequantize_int8",
      .doc = "floating-point matrix of rows x cols int8 and their scale",
      .revision = 1,
      .params = {{"rows", ParamKind::integer, std::nullopt, 1, {}, "rows of the matrix"},
                 {"cols", ParamKind::integer, std::nullopt, 1, {}, "elements of a row"},
                 {"scale",
                  ParamKind::text,
                  "tensor",
                  std::nullopt,
                  {"tensor", "row"},
                  "what shares a scale"}},
      .dtypes = {DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"rows * cols",
                  "rows * cols * (sizeof(dtype) + 1) + 4 * (scale == 'row' ? rows : 1)"},
      .backward = {},
      .tolerance_factor = 1,
  };
}

}  // namespace plumbline
