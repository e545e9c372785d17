#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// axis rows: y[c] = sum_r x[r, c]; cols: y[r] = sum_c x[r, c]; all: both. No backward: the
/// gradient is a broadcast view, so nothing is computed.
OpSpec sum_op() {
  return {
      .name = "sum",
      .doc = "reduction of rows x cols by addition, over rows, columns or both",
      .revision = 1,
      .params = {size_param("rows", "rows of the matrix"),
                 size_param("cols", "contiguous elements of a row"),
                 word_param("axis", {"rows", "cols", "all"}, "what is summed away")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {no_float64()},
      .forward = {"rows * cols - (axis == 'rows' ? cols : axis == 'cols' ? rows : 1)",
                  "(rows * cols + (axis == 'rows' ? cols : axis == 'cols' ? rows : 1)) * "
                  "sizeof(dtype)"},
      .backward = {},
      .reduction_length = "axis == 'rows' ? rows : axis == 'cols' ? cols : rows * cols",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
