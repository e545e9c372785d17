#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Rotary position embedding (Su et al. 2021): token t's pair (a, b) of elements becomes
///   (a cos[t, i] - b sin[t, i], b cos[t, i] + a sin[t, i]).
/// Pair i of a head consists of elements i and i + head_dim / 2 (`half`: GPT-NeoX, Llama in
/// Hugging Face's form) or 2 i and 2 i + 1 (`interleaved`: RoFormer, Llama in Meta's form). A
/// projection leaves queries and keys next to each other, so that one launch turns both: `heads`
/// counts those of both. The table has cos[t, :], then sin[t, :], and no gradient.
OpSpec rope_op() {
  const std::string x = "tokens * heads * head_dim";
  return {
      .name = "rope",
      .doc = "rotary position embedding of tokens x heads x head_dim, by a table of cos and sin",
      .revision = 1,
      .params =
          {size_param("tokens", "positions"),
           size_param("heads", "query heads and key heads together"),
           {"head_dim", ParamKind::integer, std::nullopt, 2, {}, "elements of a head"},
           choice_param("pairs", {"half", "interleaved"},
                        "half: elements i and i + head_dim / 2 turn together; interleaved: "
                        "neighbours"),
           {"base", ParamKind::number, 1e4, 1, {}, "pair i turns by t / base^(2 i / head_dim)"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {{"head_dim % 2 == 0", "head_dim must be even: elements turn in pairs"}},
      .forward = {"3 * " + x, "(2 * " + x + " + tokens * head_dim) * sizeof(dtype)"},
      .backward = {"3 * " + x, "(2 * " + x + " + tokens * head_dim) * sizeof(dtype)"},
      // A product is rounded before the other one is added.
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
