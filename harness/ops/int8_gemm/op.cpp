#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = sum_l A[i, l] * B[l, j]. A and B are int8; C and its sums are exact in int32.
OpSpec int8_gemm_op() {
  return {
      .name = "int8_gemm",
      .doc = "matrix product of m x k and k x n in int8, accumulated in int32",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "columns of B and of the result"),
                 size_param("k", "columns of A, rows of B"),
                 flag_param("transpose_b", false, "B is stored n x k")},
      .dtypes = {DType::int8},
      .has_backward = false,
      .requirements = {{"k < 131072", "from k = 2^17 on, sums of products may exceed int32"}},
      .limits = {{"libtorch", "m > 16 or device.kind == 'cpu'",
                  "at::_int_mm takes more than 16 rows of A on a GPU"},
                 {"libtorch", "n % 8 == 0 and k % 8 == 0 or device.kind == 'cpu'",
                  "at::_int_mm takes multiples of 8 for n and k on a GPU"}},
      .forward = {"2 * m * n * k", "m * k + k * n + 4 * m * n"},
      .backward = {},
      .reduction_length = "k",
  };
}

}  // namespace plumbline
