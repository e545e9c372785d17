#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = x with its dimensions a, b, c, d in another order, as a copy; `acbd` is y[i, k, j, l] =
/// x[i, j, k, l]. No backward: it is the same op on the output's gradient.
OpSpec permute_op() {
  return {
      .name = "permute",
      .doc = "copy of a tensor of a x b x c x d with its dimensions in another order",
      .revision = 1,
      .params =
          {size_param("a", "slowest dimension of the input"), size_param("b", "second dimension"),
           size_param("c", "third dimension"), size_param("d", "contiguous dimension"),
           word_param(
               "order", {"acbd", "abdc", "acdb", "adbc", "dcba"},
               "dimensions of the result: acbd attention heads, abdc keys, acdb nchw to nhwc, "
               "adbc nhwc to nchw")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"0", "2 * a * b * c * d * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
