#include "core/op/library_settings.h"
#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[n, k, i, j] = sum over c, r, s of
///   x[n, c, i * stride + r * dilation - padding, j * stride + s * dilation - padding]
///   * w[k, c, r, s] (+ bias[k]), over the channels c of k's group.
OpSpec conv2d_op() {
  const std::string height = "((h + 2 * padding - dilation * (r - 1) - 1) // stride + 1)";
  const std::string width = "((w + 2 * padding - dilation * (s - 1) - 1) // stride + 1)";
  const std::string input = "n * c * h * w";
  const std::string weight = "k * (c // groups) * r * s";
  const std::string output = "n * k * " + height + " * " + width;
  const std::string terms = "(c // groups) * r * s";  // of one output element
  return {
      .name = "conv2d",
      .doc = "two-dimensional convolution (cross-correlation) with zero padding",
      .revision = 2,  // 2: the gradient of nhwc images comes in that layout
      .params =
          {size_param("n", "images"),
           size_param("c", "input channels"),
           size_param("h", "input height"),
           size_param("w", "input width"),
           size_param("k", "output channels"),
           size_param("r", "filter height"),
           size_param("s", "filter width"),
           {"stride", ParamKind::integer, std::int64_t{1}, 1, {}, "step in both dimensions"},
           {"padding", ParamKind::integer, std::int64_t{0}, 0, {}, "zeros on each of four sides"},
           {"dilation", ParamKind::integer, std::int64_t{1}, 1, {}, "step between filter taps"},
           {"groups", ParamKind::integer, std::int64_t{1}, 1, {}, "channel groups; c = depthwise"},
           layout_param("memory order of input and weight; nhwc: channels last"),
           flag_param("bias", false, "adds one value per channel"),
           library_param("tf32"),
           library_param("cudnn_benchmark"),
           library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                 DType::float8_e4m3fn},
      .has_backward = true,
      .requirements =
          {{"c % groups == 0 and k % groups == 0", "groups must divide both c and k"},
           {height + " >= 1 and " + width + " >= 1",
            "the filter (r, s, dilation) is larger than the padded input (h, w, padding)"},
           tf32_requirement()},
      // cuDNN 9.19 has plans for float64, but on an H200 they left results unwritten.
      .limits = {no_float64(),
                 no_float8(),
                 {"cudnn", "dtype != 'float8_e4m3fn' or direction == 'forward'",
                  "cuDNN has no plan for gradients in 8-bit floats before Blackwell"},
                 {"cudnn", "dtype != 'float8_e4m3fn' or layout == 'nhwc' or k >= 64",
                  "cuDNN 9.19's plans in 8-bit floats give wrong sums for fewer than 64 output "
                  "channels (k) but channels last (layout=nhwc)"},
                 {"cudnn",
                  "dtype != 'float8_e4m3fn' or groups == 1 and (not bias or layout == 'nhwc')",
                  "cuDNN has no plan in 8-bit floats for groups, nor for a bias but channels last, "
                  "before Blackwell"}},
      .forward = {output + " * (2 * " + terms + " + (bias ? 1 : 0))",
                  "(" + input + " + " + weight + " + " + output +
                      " + (bias ? k : 0)) * sizeof(dtype)"},
      .backward = {output + " * (4 * " + terms + " + (bias ? 1 : 0))",
                   "(2 * " + input + " + 2 * " + weight + " + " + output +
                       " + (bias ? k : 0)) * sizeof(dtype)"},
      // Winograd's transforms, which cuDNN uses for float32, add several terms for each product.
      .reduction_length = "direction == 'forward' ? " + terms +
                          " : 8 * max(k // groups * r * s, n * " + height + " * " + width + ")",
      .tolerance_factor = 2,
  };
}

}  // namespace plumbline
