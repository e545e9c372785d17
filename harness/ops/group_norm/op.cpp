#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = (x - mean) / sqrt(variance + eps) (* weight[c] + bias[c]), with mean and (biased) variance
/// of an image's group of channels (Wu & He 2018). Counted as layer_norm.
OpSpec group_norm_op() {
  const std::string images = "n * c * h * w";
  return {
      .name = "group_norm",
      .doc = "group normalisation of n images of c x h x w",
      .revision = 1,
      .params = {size_param("n", "images"),
                 size_param("c", "channels"),
                 size_param("h", "height"),
                 size_param("w", "width"),
                 {"groups", ParamKind::integer, std::int64_t{32}, 1, {}, "groups of channels"},
                 flag_param("affine", true, "with weight and bias"),
                 layout_param(),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the variance"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {{"c % groups == 0", "groups must divide c"}},
      .limits = {no_float64(),
                 {"cudnn", "groups == c",
                  "cuDNN has no group norm; where groups = c, it is its instance norm"},
                 {"cudnn", "affine",
                  "cuDNN's instance norm always has a weight and a bias (affine=true)"}},
      .forward = {"(affine ? 8 : 6) * " + images,
                  "(2 * " + images + " + (affine ? 2 * c : 0)) * sizeof(dtype)"},
      .backward = {"(affine ? 14 : 10) * " + images,
                   "(3 * " + images + " + (affine ? 3 * c : 0)) * sizeof(dtype)"},
      .reduction_length =
          "direction == 'backward' and affine ? max(c // groups, n) * h * w : c // groups * h * w",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
