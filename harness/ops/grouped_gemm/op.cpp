#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[t, :] = A[t, :] B[e] for the tokens t of expert e: the products of a mixture of experts
/// (Shazeer et al. 2017), whose tokens lie expert by expert. offsets[e] is the end of expert e's
/// tokens. Group sizes are uneven: random, with `idle` experts without tokens and at least one for
/// each of the others. Weights of idle experts are not read.
OpSpec grouped_gemm_op() {
  return {
      .name = "grouped_gemm",
      .doc = "products of groups of rows of tokens x k, each with its own k x n",
      .revision = 1,
      .params = {size_param("tokens", "rows of all groups together"),
                 size_param("experts", "groups"),
                 size_param("n", "columns of the result"),
                 size_param("k", "columns of A"),
                 {"idle", ParamKind::integer, std::int64_t{0}, 0, {}, "experts without tokens"},
                 flag_param("transpose_b", false, "weights are stored experts x n x k")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"idle < experts", "idle must be less than experts"},
                       {"tokens >= experts - idle",
                        "too few tokens: each expert that is not idle has at least one"}},
      .limits =
          {{"libtorch", "dtype == 'bfloat16' or device.kind == 'cpu'",
            "at::_grouped_mm has a grouped kernel for bfloat16 only; for other types it waits "
            "for the offsets on the host"},
           {"libtorch", "n % 8 == 0 and k % 8 == 0 or device.kind == 'cpu'",
            "at::_grouped_mm takes rows of a multiple of 16 bytes on a GPU: n and k must be "
            "multiples of 8"}},
      .forward = {"2 * tokens * n * k",
                  "(tokens * (k + n) + (experts - idle) * n * k) * sizeof(dtype) + 4 * experts"},
      .backward = {},
      .reduction_length = "k",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
