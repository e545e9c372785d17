#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// The next token of each row: of the top_k largest logits in descending order, with their softmax
/// p, the first ones whose p add up to at least top_p (nucleus, Holtzman et al. 2020) remain. The
/// token is the first at which the sum of p exceeds uniform[r] times the sum of all that remain.
/// Probabilities are float32. Result: tokens (int64). Given numbers in [0, 1) take the place of a
/// generator, so that the token is determined.
OpSpec sampling_op() {
  return {
      .name = "sampling",
      .doc = "a token of each row of logits by top-k and top-p, from given uniform numbers",
      .revision = 1,
      .params =
          {size_param("rows", "sequences"),
           size_param("vocabulary", "logits of a row"),
           size_param("top_k", "largest logits that remain"),
           {"top_p", ParamKind::number, 0.9, 0, {}, "share of their probability that remains", 1}},
      .dtypes = {DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"top_k <= vocabulary", "top_k must be at most vocabulary"}},
      // Each logit is compared; softmax (5), sum and two comparisons for each that remains.
      .forward = {"rows * (vocabulary + 8 * top_k)", "rows * (vocabulary * sizeof(dtype) + 4 + 8)"},
      .backward = {},
      .exact = "true",
      .checked =
          "the share of the cumulative probability that belongs to the token: the given number "
          "lies in it, or at most 1e-5 beside it; of equal logits, any token may be named",
  };
}

}  // namespace plumbline
