#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// C[i, j] = sum_l A[i, l] * W[j, l], W[j, l] = (code[j, l] - 8) * scale + zero: weights alone in 4
/// bits, `group` consecutive codes of a row with one scale and zero (Frantar et al. 2023; Lin et
/// al. 2024). Scales and zeros have the type of A. The weights are stored n x k, two codes a byte,
/// the first in the upper half. Preparation brings them into the library's order, as loading a
/// model does.
OpSpec int4_gemm_op() {
  return {
      .name = "int4_gemm",
      .doc = "matrix product of m x k floats and n x k weights of 4 bits, scaled by group",
      .revision = 1,
      .params =
          {size_param("m", "rows of A and of the result"),
           size_param("n", "rows of the weights, columns of the result"),
           size_param("k", "columns of A and of the weights"),
           {"group", ParamKind::integer, std::int64_t{128}, 2, {}, "codes that share a scale"}},
      .dtypes = {DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"k % group == 0", "group must divide k"},
                       {"group % 2 == 0", "group must be even: two codes are a byte"}},
      .limits = {{"libtorch", "dtype == 'bfloat16' or device.kind == 'cpu'",
                  "at::_weight_int4pack_mm takes bfloat16 only on a GPU"},
                 {"libtorch", "group == 32 or group == 64 or group == 128 or group == 256",
                  "at::_weight_int4pack_mm takes groups of 32, 64, 128 and 256"},
                 {"libtorch", "n % 16 == 0 or device.kind == 'cuda'",
                  "at::_weight_int4pack_mm_for_cpu takes multiples of 16 for n"},
                 {"libtorch", "n % 8 == 0 and k % 128 == 0 or device.kind == 'cpu'",
                  "at::_weight_int4pack_mm takes multiples of 8 for n, and its packing multiples "
                  "of 128 for k, on a GPU"}},
      .forward = {"2 * m * n * k",
                  "(m * k + m * n + 2 * n * k // group) * sizeof(dtype) + n * k // 2"},
      .backward = {},
      .reduction_length = "k",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
