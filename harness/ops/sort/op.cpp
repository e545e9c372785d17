#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Sorts each row and returns the original indices (int64). Equal values may come in any order. No
/// backward: with equal values, gradients are not determined. The cost is the comparisons of a
/// merge sort.
OpSpec sort_op() {
  return {
      .name = "sort",
      .doc = "sorts each row of rows x cols, with the indices of its elements",
      .revision = 1,
      .params = {size_param("rows", "independent rows"), size_param("cols", "elements of a row"),
                 flag_param("descending", false, "largest first")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16, DType::int64,
                 DType::int32},
      .has_backward = false,
      .requirements = {},
      .forward = {"rows * cols * log2(cols)", "rows * cols * (2 * sizeof(dtype) + 8)"},
      .backward = {},
      .exact = "true",
      .checked =
          "the values exactly; of the indices that they name equal elements of the "
          "input, each once: equal values may come in any order",
  };
}

}  // namespace plumbline
