#include "core/op/library_settings.h"
#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// O = softmax(Q K^T / sqrt(head_dim)) V for each batch and head. With fewer kv_heads, consecutive
/// query heads share one (grouped-query attention, Ainslie et al. 2023). Costs count the whole
/// score matrix, or its lower triangle if `causal`; a softmax takes 5 operations per score.
OpSpec sdpa_op() {
  const std::string kv = "(kv_heads == 0 ? heads : kv_heads)";
  // Query i sees keys 0 … min(i, kv_len - 1).
  const std::string scores =
      "batch * heads * (not causal ? q_len * kv_len : q_len <= kv_len ? q_len * (q_len + 1) // 2 "
      ": kv_len * (kv_len + 1) // 2 + (q_len - kv_len) * kv_len)";
  const std::string queries = "batch * heads * q_len * head_dim";     // also the size of the output
  const std::string keys = "batch * " + kv + " * kv_len * head_dim";  // also the size of the values
  return {
      .name = "sdpa",
      .doc = "scaled dot-product attention",
      .revision = 1,
      .params = {size_param("batch", "sequences"),
                 size_param("heads", "query heads"),
                 {"kv_heads",
                  ParamKind::integer,
                  std::int64_t{0},
                  0,
                  {},
                  "key heads; 0: as many as heads"},
                 size_param("q_len", "queries of a sequence"),
                 size_param("kv_len", "keys of a sequence"),
                 size_param("head_dim", "elements of a head"),
                 flag_param("causal", false, "query i sees keys 0 to i only"),
                 library_param("attention"),
                 library_param("tf32"),
                 library_param("reduced_reduction"),
                 library_param("blas"),
                 library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                 DType::float8_e4m3fn},
      .has_backward = true,
      .requirements = {{"kv_heads == 0 ? true : heads % kv_heads == 0",
                        "kv_heads must divide heads (or be 0)"},
                       tf32_requirement()},
      .limits =
          {{"cudnn", "dtype != 'float64' and dtype != 'float32'",
            "cuDNN's attention is for floats of 16 and 8 bits; it would round float32 operands "
            "to TF32"},
           {"cudnn", "dtype != 'float8_e4m3fn' or direction == 'forward' or head_dim == 128",
            "cuDNN has the gradients of attention in 8-bit floats on Hopper for heads of 128 "
            "elements alone"},
           // With 33 keys the formula itself is off by 9 %, although only stored values are
           // rounded.
           {"cudnn",
            "dtype != 'float8_e4m3fn' or direction == 'forward' or not causal and kv_len >= 256",
            "the gradients read the output in 8-bit floats, whose rounding outweighs them in "
            "rows of few keys: no tolerance would tell that from a mistake"},
           no_float8(),
           {"libtorch",
            "device.kind == 'cuda' or library.attention != 'efficient' and library.attention "
            "!= 'cudnn'",
            "LibTorch has this kernel of attention on NVIDIA GPUs only; a CPU has "
            "library.attention=math and flash"}},
      .forward = {scores + " * (4 * head_dim + 5)",
                  "(2 * " + queries + " + 2 * " + keys + ") * sizeof(dtype)"},
      .backward = {scores + " * (8 * head_dim + 4)",
                   "(3 * " + queries + " + 4 * " + keys + ") * sizeof(dtype)"},
      .reduction_length =
          "direction == 'forward' ? max(head_dim, kv_len) : max(head_dim, kv_len, "
          "q_len * heads // " +
          kv + ")",
      // Backward subtracts rows of large terms: a few elements have far larger errors than most.
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
