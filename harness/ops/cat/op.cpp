#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// axis rows: tensors one below the other; cols: side by side, so that each row of the result
/// consists of pieces. No backward: the gradients are views, so nothing is computed.
OpSpec cat_op() {
  return {
      .name = "cat",
      .doc = "joins tensors of rows x cols along one dimension",
      .revision = 1,
      .params = {{"tensors", ParamKind::integer, std::nullopt, 1, {}, "how many are joined", 1024},
                 size_param("rows", "rows of each tensor"),
                 size_param("cols", "elements of a row of each"),
                 word_param("axis", {"rows", "cols"}, "the dimension that grows")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"0", "2 * tensors * rows * cols * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
