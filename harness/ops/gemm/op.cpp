#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[b, i, j] = sum_l A[b, i, l] * B[b, l, j] (+ bias[j])
OpSpec gemm_op() {
  return {
      .name = "gemm",
      .doc = "matrix product of batch x (m x k) and batch x (k x n), with an optional epilogue",
      .revision = 1,
      .params = {size_param("m", "rows of A and of the result"),
                 size_param("n", "columns of B and of the result"),
                 size_param("k", "columns of A, rows of B"),
                 {"batch", ParamKind::integer, std::int64_t{1}, 1, {}, "independent products"},
                 flag_param("transpose_a", false, "A is stored k x m"),
                 flag_param("transpose_b", false, "B is stored n x k"),
                 choice_param("epilogue", {"none", "bias"},
                              "bias: a vector of n elements is added to every row"),
                 library_param("tf32"),
                 library_param("reduced_reduction"),
                 library_param("blas")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {tf32_requirement()},
      .limits = {{"cudnn", "dtype != 'float32' or library.tf32",
                  "cuDNN's products of matrices round float32 operands to TF32, which library.tf32 "
                  "does not allow"},
                 {"custom", "dtype == 'float16' or dtype == 'bfloat16'",
                  "the custom gemm is for float16 and bfloat16"},
                 {"custom", "direction == 'forward'", "the custom gemm is for direction=forward"},
                 {"custom", "batch == 1 and not transpose_a",
                  "the custom gemm is for batch=1, transpose_a=false"},
                 {"custom", "max(m, n, k) <= 2 ** 20",
                  "the custom gemm is for sides of up to 2^20"},
                 {"custom", "n % 8 == 0 and k % 8 == 0",
                  "the custom gemm is for n and k that are multiples of 8"}},
      .forward = {"batch * m * n * (2 * k + (epilogue == 'bias' ? 1 : 0))",
                  "(batch * (m * k + k * n + m * n) + (epilogue == 'bias' ? n : 0)) * "
                  "sizeof(dtype)"},
      .backward = {"batch * m * n * (4 * k + (epilogue == 'bias' ? 1 : 0))",
                   "(batch * (2 * m * k + 2 * k * n + m * n) + (epilogue == 'bias' ? n : 0)) * "
                   "sizeof(dtype)"},
      .reduction_length =
          "direction == 'forward' ? k : "
          "max(m * (epilogue == 'bias' ? batch : 1), n)",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
