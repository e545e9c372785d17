#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = sum_l A[i, l] * B[l, j]; two of each four consecutive elements in a row of A are zero
/// (2:4 sparsity, Mishra et al. 2021). A is compressed beforehand, like weights: to half of its
/// elements and 2 bits for the place of each. The cost counts only the remaining products.
OpSpec sparse_gemm_op() {
  return {
      .name = "sparse_gemm",
      .doc = "matrix product of a 2:4 sparse m x k and a dense k x n",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "columns of B and of the result"),
                 {"k", ParamKind::integer, std::nullopt, 4, {}, "columns of A, rows of B"},
                 flag_param("transpose_b", false, "B is stored n x k")},
      .dtypes = {DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"k % 4 == 0", "k must be a multiple of 4"}},
      .limits = {{"libtorch", "device.kind == 'cuda'",
                  "LibTorch multiplies 2:4 sparse matrices on NVIDIA GPUs only"}},
      .forward = {"m * n * k",
                  "(m * k // 2 + k * n + m * n) * sizeof(dtype) + m * k // 2 * 2 // 8"},
      .backward = {},
      .reduction_length = "k // 2",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
