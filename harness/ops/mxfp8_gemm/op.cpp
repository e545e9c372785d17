#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = sum_l scale_a[i, l / 32] A[i, l] * scale_b[j, l / 32] B[j, l]: MXFP8 of OCP
/// Microscaling Formats 1.0 (2023). A and B are 8-bit floating point, both with rows of k. 32
/// consecutive elements of a row share a scale of type E8M0, a power of two in a byte. Preparation
/// brings the scales into the order that tensor cores read, as a kernel that quantises does.
/// `dtype` is the type of the result and decides the tolerance; the reference takes the 8-bit
/// inputs as exact. A CPU multiplies scaled float32.
OpSpec mxfp8_gemm_op() {
  return {
      .name = "mxfp8_gemm",
      .doc = "matrix product of m x k and n x k in 8-bit floating point, scaled by blocks of 32",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "rows of B, columns of the result"),
                 size_param("k", "columns of A and of B"),
                 choice_param("format", {"e4m3", "e5m2"},
                              "of A; B is e4m3. e5m2: as gradients are kept")},
      .dtypes = {DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"k % 32 == 0", "k must be a multiple of 32: a scale is for 32 elements"}},
      .limits = {{"libtorch", "n % 16 == 0 or device.kind == 'cpu'",
                  "at::_scaled_mm takes multiples of 16 for n on a GPU"}},
      .forward = {"2 * m * n * k", "m * k + n * k + m * n * sizeof(dtype) + k // 32 * (m + n)"},
      .backward = {},
      .reduction_length = "k",
      // As fp8_gemm.
      .tolerance_factor = 4,
      .roundings = 4,
  };
}

}  // namespace plumbline
