#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = 0 with probability p, else x / (1 - p). Backward does the same with the output's gradient
/// and the mask of the forward pass. The implementation chooses which elements are dropped, so no
/// reference can tell. Instead the check is: each element is 0 or x / (1 - p); the dropped share is
/// p, over all elements and over each sixteenth of them; and neighbours are dropped together as
/// often as by chance. All within six standard deviations. The cost counts neither drawing numbers
/// nor moving the mask, which can be drawn again from its seed.
OpSpec dropout_op() {
  return {
      .name = "dropout",
      .doc = "zeroes elements of a vector at random, scales the others",
      .revision = 1,
      .params = {size_param("elements", "length of the vector"),
                 {"p", ParamKind::number, 0.1, 0, {}, "probability of being zeroed", 0.99}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .forward = {"elements", "2 * elements * sizeof(dtype)"},
      .backward = {"elements", "2 * elements * sizeof(dtype)"},
      .tolerance_factor = 1,
      .checked =
          "each element is 0 or x / (1 - p); the share of zeros in all and in each sixteenth, "
          "and of pairs of neighbours, is within six standard deviations of chance",
  };
}

}  // namespace plumbline
