#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = scale_a[i] * scale_b[j] * sum_l A[i, l] * B[l, j]. A and B are 8-bit floating point
/// (Micikevicius et al. 2022), B stored n x k. Scales are float32, one for each matrix, or for each
/// row of A and column of B. `dtype` is the type of the result and decides the tolerance; the
/// reference takes the 8-bit inputs as exact.
OpSpec fp8_gemm_op() {
  return {
      .name = "fp8_gemm",
      .doc = "scaled matrix product of m x k and k x n in 8-bit floating point",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "columns of B and of the result"),
                 size_param("k", "columns of A, rows of B"),
                 choice_param("format", {"e4m3", "e5m2"},
                              "of A; B is e4m3. e5m2: as gradients are kept"),
                 scale_param(),
                 flag_param("fast_accumulation", false,
                            "partial sums may stay in the tensor core's own precision")},
      .dtypes = {DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"libtorch", "scale == 'tensor' or device.kind == 'cuda'",
                  "LibTorch only supports per-tensor scaling for CPU (scale=tensor)"}},
      .forward = {"2 * m * n * k",
                  "m * k + k * n + m * n * sizeof(dtype) + 4 * (scale == 'row' ? m + n : 2)"},
      .backward = {},
      .reduction_length = "k",
      // Hopper's tensor cores add 8-bit products with about 14 bits (DeepSeek-AI 2024, 3.3.2).
      .tolerance_factor = 4,
      .roundings = 4,
  };
}

}  // namespace plumbline
