#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[t, :] = table[token[t], :]. Backward adds the gradients of a token's rows; the table's
/// gradient is dense. A row that several tokens name is read once. The cost has the expected number
/// of distinct rows among `tokens` draws from `vocabulary` rows with equal chances.
OpSpec embedding_op() {
  const std::string distinct = "vocabulary * (1 - (1 - 1 / vocabulary) ** tokens)";
  return {
      .name = "embedding",
      .doc = "rows of a table by token, vocabulary x width",
      .revision = 1,
      .params = {size_param("vocabulary", "rows of the table"),
                 size_param("width", "elements of a row"), size_param("tokens", "rows looked up"),
                 library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .forward = {"0", "(" + distinct + " + tokens) * width * sizeof(dtype) + 8 * tokens"},
      .backward = {"tokens * width", "(tokens + vocabulary) * width * sizeof(dtype) + 8 * tokens"},
      // Gradients of a repeated token may be added in the table's own dtype, like index_add's rows.
      .reduction_length =
          "max(1, tokens / vocabulary)"
          " * (dtype == 'bfloat16' ? 2 ** 26 : dtype == 'float16' ? 2 ** 20 : 1)",
      .tolerance_factor = 4,
      .exact = "direction == 'forward'",
      .checked =
          "the results; in 16 bits with the error of adding the gradients of a token one after "
          "the other in that type, which grows with the root of their number",
  };
}

}  // namespace plumbline
