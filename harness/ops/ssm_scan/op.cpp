#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// The selective state-space recurrence of Mamba (Gu & Dao 2023), for each sequence b and channel
/// c, from a zero state h of `state` elements n:
///   h[n] = exp(delta[b, c, t] A[c, n]) h[n] + delta[b, c, t] B[b, n, t] u[b, c, t],
///   y[b, c, t] = sum_n C[b, n, t] h[n] + D[c] u[b, c, t].
/// delta is positive, A negative: a state decays. A, D and the state are float32. An exp counts as
/// one operation. The cost counts inputs and results only: a fused kernel keeps the states.
OpSpec ssm_scan_op() {
  const std::string steps = "batch * channels * length";
  return {
      .name = "ssm_scan",
      .doc = "selective state-space scan over time of batch x channels x length",
      .revision = 1,
      .params = {size_param("batch", "sequences"),
                 size_param("channels", "channels, each with its own state"),
                 size_param("length", "steps of a sequence"),
                 {"state", ParamKind::integer, std::int64_t{16}, 1, {}, "elements of a state"}},
      .dtypes = {DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {steps + " * (7 * state + 3)",
                  "(3 * " + steps +
                      " + 2 * batch * state * length) * sizeof(dtype) + 4 * channels "
                      "* (state + 1)"},
      .backward = {},
      .reduction_length = "state * length",
      .tolerance_factor = 4,
  };
}

}  // namespace plumbline
