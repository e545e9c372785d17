#include "core/op/op_limits.h"
#include "core/op/op_spec.h"
#include "core/run/row_limits.h"
#include "ops/params.h"

namespace plumbline {

/// scale = max |x| / 127, over the tensor or each row; q = x / scale, rounded to the nearest of
/// -127 … 127 (int8, symmetric). The scale is float32. If two integers are (almost) equally near,
/// either is right.
OpSpec quantize_int8_op() {
  const std::string matrix = "rows * cols";
  const char* const kNoScale = "the scale of zeros is 0, and x / scale has no value then";
  return {
      .name = "quantize_int8",
      .doc = "dynamic symmetric quantisation of rows x cols to int8, with its scale",
      .revision = 1,
      .params = {size_param("rows", "rows of the matrix"), size_param("cols", "elements of a row"),
                 scale_param()},
      .dtypes = {DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"libtorch", "data != 'zeros'", kNoScale},
                 {"custom", "data != 'zeros'", kNoScale},
                 row_limit(kCustomRowMax, "scale == 'tensor'")},
      // Magnitude and maximum; product, rounding and conversion.
      .forward = {"5 * " + matrix,
                  matrix + " * (sizeof(dtype) + 1) + 4 * (scale == 'row' ? rows : 1)"},
      .backward = {},
      .tolerance_factor = 1,
      .checked =
          "the scale as float32; each integer by its distance from x / scale, which is half a "
          "step at most, and 1e-4 steps for rounding",
  };
}

}  // namespace plumbline
