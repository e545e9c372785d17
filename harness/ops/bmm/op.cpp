#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[b, i, j] = sum_l A[b, i, l] * B[b, l, j]. Like gemm with a batch, but without an epilogue and
/// always three-dimensional: the op of attention and batched linear algebra.
OpSpec bmm_op() {
  return {
      .name = "bmm",
      .doc = "matrix products of a batch of pairs, batch x (m x k) and batch x (k x n)",
      .revision = 1,
      .params = {size_param("batch", "independent products"),
                 size_param("m", "rows of A and of the result"),
                 size_param("n", "columns of B and of the result"),
                 size_param("k", "columns of A, rows of B"),
                 flag_param("transpose_a", false, "A is stored k x m"),
                 flag_param("transpose_b", false, "B is stored n x k"), library_param("tf32"),
                 library_param("reduced_reduction"), library_param("blas")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {tf32_requirement()},
      .limits = {{"cudnn", "dtype != 'float32' or library.tf32",
                  "cuDNN's products of matrices round float32 operands to TF32, which library.tf32 "
                  "does not allow"}},
      .forward = {"2 * batch * m * n * k", "batch * (m * k + k * n + m * n) * sizeof(dtype)"},
      .backward = {"4 * batch * m * n * k",
                   "batch * (2 * m * k + 2 * k * n + m * n) * sizeof(dtype)"},
      .reduction_length = "direction == 'forward' ? k : max(m, n)",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
