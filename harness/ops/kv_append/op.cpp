#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// cache[slot[t] / block_size, slot[t] % block_size] = new[t], for keys and for values: tokens go
/// into a paged cache (Kwon et al. 2023, vLLM) in place. Slots are distinct. Each launch writes the
/// same rows.
OpSpec kv_append_op() {
  const std::string row = "tokens * kv_heads * head_dim";
  return {
      .name = "kv_append",
      .doc = "new keys and values into slots of a cache in blocks, in place",
      .revision = 1,
      .params = {size_param("tokens", "tokens to append"),
                 size_param("kv_heads", "key heads"),
                 size_param("head_dim", "elements of a head"),
                 size_param("blocks", "blocks of the cache"),
                 {"block_size", ParamKind::integer, std::int64_t{16}, 1, {}, "tokens of a block"},
                 choice_param("slots", {"scattered", "consecutive"},
                              "scattered: a new token of each sequence, anywhere; consecutive: "
                              "prompts, which fill whole blocks in any order")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"tokens <= blocks * block_size",
                        "the cache has too few slots: tokens must "
                        "be at most blocks * block_size"}},
      .forward = {"0", "4 * " + row + " * sizeof(dtype) + 8 * tokens"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
