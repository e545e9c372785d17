#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// The top_k experts of each token and their weights: p = softmax(logits[t, :]), the largest top_k
/// of p in descending order, divided by their sum if `renormalize` (Shazeer et al. 2017; Mixtral).
/// Results: weights, indices (int64). Of experts with equal logits, any may be named. No backward:
/// with equal logits, gradients are not determined. The largest logits are selected before the
/// softmax: rounded probabilities would be equal more often.
OpSpec moe_routing_op() {
  return {
      .name = "moe_routing",
      .doc = "softmax over experts, the top_k experts of each token and their weights",
      .revision = 1,
      .params = {size_param("tokens", "independent rows"),
                 size_param("experts", "experts to choose from"),
                 size_param("top_k", "experts chosen for a token"),
                 flag_param("renormalize", true, "the weights of a token add up to 1")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"top_k <= experts", "top_k must be at most experts"}},
      // Each logit is compared; a softmax takes 5 operations for each logit that it needs.
      .forward = {"tokens * (experts + 5 * (renormalize ? top_k : experts))",
                  "tokens * ((experts + top_k) * sizeof(dtype) + 8 * top_k)"},
      .backward = {},
      .reduction_length = "renormalize ? top_k : experts",
      .tolerance_factor = 4,
      .checked =
          "the weights; of the indices that they name experts with the logits of the reference's, "
          "each once: equal logits may come in any order",
  };
}

}  // namespace plumbline
