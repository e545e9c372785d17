#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = q * scale. q is int8; scale is float32, for the whole tensor or for each row. `dtype` is the
/// type of the result.
OpSpec dequantize_int8_op() {
  return {
      .name = "dequantize_int8",
      .doc = "floating-point matrix of rows x cols int8 and their scale",
      .revision = 1,
      .params = {size_param("rows", "rows of the matrix"), size_param("cols", "elements of a row"),
                 scale_param()},
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
