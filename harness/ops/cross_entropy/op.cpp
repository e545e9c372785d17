#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// loss[r] = log sum_c exp(x[r, c]) - x[r, target[r]], or the mean over r. Softmax and cross
/// entropy are one problem: a kernel that fuses them is another backend of this op. An exp or log
/// counts as one operation.
OpSpec cross_entropy_op() {
  return {
      .name = "cross_entropy",
      .doc = "cross entropy of the softmax of rows x classes logits with one target a row",
      .revision = 1,
      .params = {size_param("rows", "independent rows"), size_param("classes", "logits of a row"),
                 choice_param("reduction", {"mean", "none"},
                              "mean: one loss; none: one for each row")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .limits = {{"custom", "classes < 2 ** 31",
                  "the custom cross_entropy is for fewer than 2^31 classes"}},
      .forward = {"rows * (4 * classes + 3) + (reduction == 'mean' ? rows : 0)",
                  "(rows * classes + (reduction == 'mean' ? 1 : rows)) * sizeof(dtype) + 8 * rows"},
      .backward = {"rows * (3 * classes + 1)",
                   "(2 * rows * classes + (reduction == 'mean' ? 1 : rows)) * sizeof(dtype) + "
                   "8 * rows"},
      .reduction_length = "classes + (reduction == 'mean' ? rows : 0)",
      .tolerance_factor = 2,
      .roundings = 2,
      .checked =
          "the results; in 16 bits the logarithms of probabilities may be rounded before the "
          "loss is made of them",
  };
}

}  // namespace plumbline
