#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// The k largest x[r, :] in descending order, and their indices (int64). Any of equal values may be
/// named. No backward: with equal values, gradients are not determined.
OpSpec topk_op() {
  return {
      .name = "topk",
      .doc = "the k largest elements of each row of rows x cols, and their indices",
      .revision = 1,
      .params = {size_param("rows", "independent rows"), size_param("cols", "elements of a row"),
                 size_param("k", "elements selected of a row")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"k <= cols", "k must be at most cols"}},
      .forward = {"rows * cols",  // each element is compared at least once
                  "rows * ((cols + k) * sizeof(dtype) + 8 * k)"},
      .backward = {},
      .exact = "true",
      .checked =
          "the values exactly; of the indices that they name equal elements of the "
          "input, each once: equal values may come in any order",
  };
}

}  // namespace plumbline
