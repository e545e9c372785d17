#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// One step of AdamW (Loshchilov & Hutter 2019) in place: parameters p, gradients g, moments m, v;
///   m = β1 m + (1 - β1) g,  v = β2 v + (1 - β2) g²,
///   p = (1 - lr λ) p - lr / (1 - β1^t) m / (sqrt(v / (1 - β2^t)) + ε).
/// Each launch uses the same step number t, so that all do the same work. A launch starts from the
/// state that the previous one left. It is verified after one launch on fresh inputs. A square root
/// counts as one operation; values shared by all elements are not counted.
OpSpec adamw_op() {
  return {
      .name = "adamw",
      .doc = "AdamW optimiser step in place, on one or several tensors of parameters",
      .revision = 1,
      .params = {size_param("elements", "of each tensor"),
                 {"tensors",
                  ParamKind::integer,
                  std::int64_t{1},
                  1,
                  {},
                  "parameter tensors updated together",
                  1024}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"14 * tensors * elements",
                  "tensors * (7 * elements * sizeof(dtype) + 4)"},  // and the step number
      .backward = {},
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
