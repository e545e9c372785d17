/// What all pooling ops declare: windows of n images of c x h x w.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/op/op_limits.h"
#include "ops/params.h"

namespace plumbline {

/// The number of windows along a side, "h" or "w".
inline std::string windows_along(const std::string& side) {
  return "((" + side + " + 2 * padding - kernel) // (stride == 0 ? kernel : stride) + 1)";
}

/// Elements of the result.
inline std::string pooled_elements() {
  return "n * c * " + windows_along("h") + " * " + windows_along("w");
}

/// Everything except names, operations and tolerance. `own`: the op's further parameters.
inline OpSpec pooling_op(std::vector<ParamSpec> own = {}) {
  const std::string bytes = "(n * c * h * w + " + pooled_elements() + ") * sizeof(dtype)";
  OpSpec op;
  op.params = {size_param("n", "images"),
               size_param("c", "channels"),
               size_param("h", "input height"),
               size_param("w", "input width"),
               size_param("kernel", "height and width of a window"),
               {"stride",
                ParamKind::integer,
                std::int64_t{0},
                0,
                {},
                "step in both dimensions; 0: as large as the kernel"},
               {"padding", ParamKind::integer, std::int64_t{0}, 0, {}, "on each of four sides"}};
  for (ParamSpec& param : own) op.params.push_back(std::move(param));
  op.params.push_back(layout_param());
  op.dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16};
  op.has_backward = true;
  op.requirements = {{"2 * padding <= kernel", "padding must be at most half of the kernel"},
                     {windows_along("h") + " >= 1 and " + windows_along("w") + " >= 1",
                      "the kernel is larger than the padded input (h, w, padding)"}};
  op.limits = {no_float64("layout == 'nchw'"),
               {"cudnn", "direction == 'forward'",
                "cuDNN's graphs have no pooling backward through cudnn-frontend"}};
  op.forward.bytes = op.backward.bytes = bytes;
  return op;
}

}  // namespace plumbline
