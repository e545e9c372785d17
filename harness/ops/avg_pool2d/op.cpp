#include "core/op_limits.h"
#include "core/op_spec.h"

namespace plumbline {

/// y[n, c, i, j] = mean of x[n, c, i * stride + r - padding, j * stride + s - padding] over a
/// kernel x kernel window. Backward reads the output's gradient alone.
OpSpec avg_pool2d_op() {
  const std::string step = "(stride == 0 ? kernel : stride)";
  const std::string height = "((h + 2 * padding - kernel) // " + step + " + 1)";
  const std::string width = "((w + 2 * padding - kernel) // " + step + " + 1)";
  const std::string output = "n * c * " + height + " * " + width;
  const std::string bytes = "(n * c * h * w + " + output + ") * sizeof(dtype)";
  return {
      .name = "avg_pool2d",
      .doc = "mean of each window of n images of c x h x w",
      .revision = 1,
      .params =
          {{"n", ParamKind::integer, std::nullopt, 1, {}, "images"},
           {"c", ParamKind::integer, std::nullopt, 1, {}, "channels"},
           {"h", ParamKind::integer, std::nullopt, 1, {}, "input height"},
           {"w", ParamKind::integer, std::nullopt, 1, {}, "input width"},
           {"kernel", ParamKind::integer, std::nullopt, 1, {}, "height and width of a window"},
           {"stride",
            ParamKind::integer,
            std::int64_t{0},
            0,
            {},
            "step in both dimensions; 0: as large as the kernel"},
           {"padding", ParamKind::integer, std::int64_t{0}, 0, {}, "on each of four sides"},
           {"count_padding",
            ParamKind::boolean,
            true,
            std::nullopt,
            {},
            "padding counts as zeros in the mean, else not at all"},
           {"layout",
            ParamKind::text,
            "nchw",
            std::nullopt,
            {"nchw", "nhwc"},
            "memory order of the images; nhwc: channels last"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {{"2 * padding <= kernel", "padding must be at most half of the kernel"},
                       {height + " >= 1 and " + width + " >= 1",
                        "the kernel is larger than the padded input (h, w, padding)"}},
      .limits = {no_float64("layout == 'nchw'"),
                 {"cudnn", "direction == 'forward'",
                  "cuDNN's graphs have no pooling backward through cudnn-frontend"}},
      .forward = {output + " * kernel ** 2", bytes},  // kernel ** 2 - 1 sums and a division
      .backward = {output + " * (kernel ** 2 + 1)", bytes},
      .reduction_length = "kernel ** 2",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
