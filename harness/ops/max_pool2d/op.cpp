#include "core/op_limits.h"
#include "core/op_spec.h"

namespace plumbline {

/// y[n, c, i, j] = the largest x[n, c, i * stride + r - padding, j * stride + s - padding] of a
/// kernel x kernel window; padding never wins. Backward gives the gradient to the first of equal
/// values; what it needs to know of the forward pass to find it is not counted as moved.
OpSpec max_pool2d_op() {
  const std::string step = "(stride == 0 ? kernel : stride)";
  const std::string height = "((h + 2 * padding - kernel) // " + step + " + 1)";
  const std::string width = "((w + 2 * padding - kernel) // " + step + " + 1)";
  const std::string output = "n * c * " + height + " * " + width;
  const std::string bytes = "(n * c * h * w + " + output + ") * sizeof(dtype)";
  return {
      .name = "max_pool2d",
      .doc = "largest value of each window of n images of c x h x w",
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
      .forward = {output + " * kernel ** 2", bytes},  // a comparison per element of a window
      .backward = {output, bytes},
      .reduction_length = "direction == 'forward' ? 1 : kernel ** 2",
      .tolerance_factor = 2,
      .exact = "direction == 'forward'",
      .hinges_on_ties = true,
  };
}

}  // namespace plumbline
