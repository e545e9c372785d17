#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = sum_l scale_a[i, l / 128] A[i, l] * scale_b[j / 128, l / 128] B[j, l]. A and B are
/// float8_e4m3fn, B stored n x k, with a float32 scale for each 1 x 128 of A (activations) and each
/// 128 x 128 of B (weights) (DeepSeek-AI 2024, DeepSeek-V3, 3.3.2). Scales of A are stored column
/// by column, as tensor cores read them. `dtype` is the type of the result and decides the
/// tolerance; the reference takes the 8-bit inputs as exact. A CPU multiplies scaled float32.
OpSpec block_fp8_gemm_op() {
  return {
      .name = "block_fp8_gemm",
      .doc = "matrix product of m x k and n x k in 8-bit floating point, scaled by blocks of 128",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "rows of B, columns of the result"),
                 size_param("k", "columns of A and of B")},
      .dtypes = {DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits =
          {{"libtorch", "n % 16 == 0 and k % 16 == 0 or device.kind == 'cpu'",
            "at::_scaled_mm takes multiples of 16 for n and k on a GPU"},
           {"libtorch", "m % 4 == 0 and k % 512 == 0 or device.kind == 'cpu'",
            "at::_scaled_mm takes a multiple of 4 for m and of 512 for k on a GPU: cuBLAS reads "
            "rows of scales at multiples of 16 bytes"}},
      .forward = {"2 * m * n * k",
                  "m * k + k * n + m * n * sizeof(dtype) + 4 * ((k + 127) // 128) * (m + (n + 127) "
                  "// 128)"},
      .backward = {},
      .reduction_length = "k",
      // As fp8_gemm: Hopper's tensor cores add 8-bit products with about 14 bits.
      .tolerance_factor = 4,
      .roundings = 4,
  };
}

}  // namespace plumbline
