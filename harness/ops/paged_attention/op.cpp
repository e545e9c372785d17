#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// O = softmax(q K^T / sqrt(head_dim)) V for one query token of each sequence, whose keys and
/// values lie in blocks of a cache: sequence s has its tokens in the blocks block_table[s, :], in
/// order (Kwon et al. 2023, vLLM). Consecutive query heads share a key head (Ainslie et al. 2023).
/// Contexts are ragged: evenly spread from shortest_context to context, in random order, with the
/// mean of the two (rounded down in total). The cost counts keys and values of the contexts, not
/// the rest of the blocks; a softmax takes 5 operations per score.
OpSpec paged_attention_op() {
  const std::string shortest = "(shortest_context == 0 ? context : shortest_context)";
  const std::string cached = "(sequences * (context + " + shortest + ") // 2)";  // tokens
  const std::string blocks = "sequences * ((context + block_size - 1) // block_size)";
  return {
      .name = "paged_attention",
      .doc = "attention of one query per sequence to keys and values in blocks of a cache",
      .revision = 1,
      .params = {size_param("sequences", "sequences, each with one query"),
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
                 {"block_size", ParamKind::integer, std::int64_t{16}, 1, {}, "tokens of a block"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"heads % kv_heads == 0", "kv_heads must divide heads"},
                       {"shortest_context <= context", "shortest_context must be at most context"}},
      .forward = {cached + " * heads * (4 * head_dim + 5)",
                  "2 * (sequences * heads + " + cached +
                      " * kv_heads) * head_dim * sizeof(dtype) "
                      "+ 4 * (" +
                      blocks + " + sequences)"},
      .backward = {},
      .reduction_length = "max(head_dim, context)",
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
