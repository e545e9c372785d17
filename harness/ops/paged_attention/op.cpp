#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// O = softmax(q K^T / sqrt(head_dim)) V for one query token of each sequence, whose keys and
/// values lie in blocks of a cache: sequence s has its tokens in the blocks block_table[s, :], in
/// order (Kwon et al. 2023, vLLM). Consecutive query heads share a key head (Ainslie et al. 2023).
/// With latent > 0 it is the decode step of multi-head latent attention (DeepSeek-AI 2024,
/// DeepSeek-V2): there is one cache of rows of head_dim elements, of which the first `latent` are
/// also the value. Contexts are ragged: evenly spread from shortest_context to context, in random
/// order, with the mean of the two (rounded down in total). The cost counts keys and values of the
/// contexts, not the rest of the blocks; a softmax takes 5 operations per score.
OpSpec paged_attention_op() {
  const std::string shortest = "(shortest_context == 0 ? context : shortest_context)";
  const std::string cached = "(sequences * (context + " + shortest + ") // 2)";  // tokens
  const std::string value_dim = "(latent == 0 ? head_dim : latent)";
  const std::string of_a_token = "(latent == 0 ? 2 * head_dim : head_dim)";  // that is cached
  const std::string blocks = "sequences * ((context + block_size - 1) // block_size)";
  return {
      .name = "paged_attention",
      .doc = "attention of one query per sequence to keys and values in blocks of a cache",
      .revision = 1,
      .params =
          {size_param("sequences", "sequences, each with one query"),
           size_param("heads", "query heads"),
           size_param("kv_heads", "key heads"),
           size_param("head_dim", "elements of a head"),
           size_param("context", "tokens of the longest context"),
           {"shortest_context",
            ParamKind::integer,
            std::int64_t{0},
            0,
            {},
            "tokens of the shortest one; 0: all are equally long"},
           {"block_size", ParamKind::integer, std::int64_t{16}, 1, {}, "tokens of a block"},
           {"latent",
            ParamKind::integer,
            std::int64_t{0},
            0,
            {},
            "elements of a key that are also its value; 0: values have a cache of their own"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"heads % kv_heads == 0", "kv_heads must divide heads"},
                       {"shortest_context <= context", "shortest_context must be at most context"},
                       {"latent <= head_dim", "latent is a part of a key, at most head_dim"}},
      .forward = {cached + " * heads * (2 * head_dim + 2 * " + value_dim + " + 5)",
                  "(sequences * heads * (head_dim + " + value_dim + ") + " + cached +
                      " * kv_heads * " + of_a_token + ") * sizeof(dtype) + 4 * (" + blocks +
                      " + sequences)"},
      .backward = {},
      .reduction_length = "max(head_dim, context)",
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
