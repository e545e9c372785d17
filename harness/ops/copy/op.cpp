#include "core/op_spec.h"

namespace plumbline {

/// y = x in the device's own memory: what the device's memory gives, to hold other ops against. No
/// backward: the gradient is the output's gradient itself.
OpSpec copy_op() {
  return {
      .name = "copy",
      .doc = "copy of a vector within the device's memory",
      .revision = 1,
      .params = {{"elements", ParamKind::integer, std::nullopt, 1, {}, "length of the vector"}},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .forward = {"0", "2 * elements * sizeof(dtype)"},
      .backward = {},
      .tolerance_factor = 1,  // values are copied
  };
}

}  // namespace plumbline
