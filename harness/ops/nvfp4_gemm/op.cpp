#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = global_a * global_b * sum_l scale_a[i, l / 16] A[i, l] * scale_b[j, l / 16] B[j, l]:
/// NVFP4 (NVIDIA 2025, arXiv:2509.25149). A and B have elements of type E2M1, both with rows of k,
/// two a byte, the first in the lower half. 16 consecutive elements of a row share a scale of type
/// E4M3, and each matrix has one in float32. Preparation brings the scales of blocks into the order
/// that tensor cores read, as a kernel that quantises does. `dtype` is the type of the result and
/// decides the tolerance; the reference takes the 4-bit inputs as exact. A CPU multiplies scaled
/// float32.
OpSpec nvfp4_gemm_op() {
  return {
      .name = "nvfp4_gemm",
      .doc = "matrix product of m x k and n x k in 4-bit floating point, scaled by blocks of 16",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "rows of B, columns of the result"),
                 size_param("k", "columns of A and of B")},
      .dtypes = {DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"k % 16 == 0", "k must be a multiple of 16: a scale is for 16 elements"}},
      .limits = {{"libtorch", "n % 16 == 0 and k % 32 == 0 or device.kind == 'cpu'",
                  "at::_scaled_mm_v2 takes multiples of 16 for n and of 32 for k on a GPU"}},
      .forward = {"2 * m * n * k",
                  "(m + n) * k // 2 + m * n * sizeof(dtype) + k // 16 * (m + n) + 8"},
      .backward = {},
      .reduction_length = "k",
      // As fp8_gemm.
      .tolerance_factor = 4,
      .roundings = 4,
  };
}

}  // namespace plumbline
