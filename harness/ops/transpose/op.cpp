#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "core/run/row_limits.h"
#include "ops/params.h"

namespace plumbline {

/// y[c, r] = x[r, c], as a copy. No backward: it is the same op on the output's gradient.
OpSpec transpose_op() {
  return {
      .name = "transpose",
      .doc = "copy of the transpose of rows x cols",
      .revision = 1,
      .params = {size_param("rows", "rows of the input"),
                 size_param("cols", "columns of the input")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"custom", "rows <= " + std::to_string(kCustomTransposeRowsMax),
                  "the custom transpose is for up to " + std::to_string(kCustomTransposeRowsMax) +
                      " rows"}},
      .forward = {"0", "2 * rows * cols * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
