#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[b, c, t] = silu(bias[c] + sum_j weight[c, j] x[b, c, t - width + 1 + j]), x = 0 before the
/// first step: a convolution of each channel that sees no later step, before the scan of Mamba (Gu
/// & Dao 2023). silu(z) = z / (1 + exp(-z)) takes 4 operations.
OpSpec causal_conv1d_op() {
  const std::string steps = "batch * channels * length";
  return {
      .name = "causal_conv1d",
      .doc = "silu of each channel's convolution over earlier steps, batch x channels x length",
      .revision = 1,
      .params = {size_param("batch", "sequences"),
                 size_param("channels", "channels, each with its own filter"),
                 size_param("length", "steps of a sequence"),
                 {"width", ParamKind::integer, std::int64_t{4}, 1, {}, "steps of a filter"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .forward = {steps + " * (2 * width + 4)",
                  "(2 * " + steps + " + channels * (width + 1)) * sizeof(dtype)"},
      // Computes the sum again, and silu's slope (7).
      .backward = {steps + " * (6 * width + 8)",
                   "(3 * " + steps + " + 2 * channels * (width + 1)) * sizeof(dtype)"},
      .reduction_length = "direction == 'forward' ? width : max(width, batch * length)",
      // The sum is rounded before silu if the two are not fused.
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
