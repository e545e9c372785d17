#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[n, c, …] = (x[n, c, …] - mean c) / sqrt(variance c + eps) * weight[c] + bias[c]. In training,
/// mean and (biased) variance are those of the channel in this batch, and no running average is
/// kept; otherwise they are given. With 16-bit images, weight, bias, mean and variance are float32,
/// as in automatic mixed precision. Computations once per channel are not counted.
OpSpec batch_norm_op() {
  const std::string images = "n * c * h * w";
  const std::string channel = "c * max(sizeof(dtype), 4)";  // bytes of one number per channel
  return {
      .name = "batch_norm",
      .doc = "batch normalisation of the channels of n images of c x h x w, with weight and bias",
      .revision = 1,
      .params = {size_param("n", "images"),
                 size_param("c", "channels"),
                 size_param("h", "height"),
                 size_param("w", "width"),
                 flag_param("training", true,
                            "normalises by the batch's own mean and variance, else by given ones"),
                 layout_param(),
                 {"eps", ParamKind::number, 1e-5, 0, {}, "added to the variance"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {{"not training or n * h * w > 1",
                        "one value per channel (n = h = w = 1) has no variance to train with"}},
      .limits = {no_float64(),
                 {"cudnn", "training or direction == 'forward'",
                  "cuDNN's batch norm backward is that of training (training=true)"},
                 // cuDNN 9.19 refuses other images. If their pixels are in a row ([n, c, h * w]),
                 // it accepts them, but reads [1, c, 1] out of bounds from the second image on.
                 {"cudnn", "training or layout == 'nhwc' or c == 1 or h * w == 1",
                  "cuDNN's pointwise engines broadcast over images with channels last alone"}},
      // With given statistics, weight and bias fold into one product and one sum.
      .forward = {"(training ? 8 : 2) * " + images,
                  "2 * " + images + " * sizeof(dtype) + (training ? 2 : 4) * " + channel},
      .backward = {"(training ? 14 : 5) * " + images,
                   "3 * " + images + " * sizeof(dtype) + (training ? 3 : 5) * " + channel},
      .reduction_length = "training or direction == 'backward' ? n * h * w : 1",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
