#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[r, index[r, u]] = x[r, u], zeros elsewhere; the indices of a row are distinct. A router of
/// experts does this with the weights of its choices. Backward gathers.
OpSpec scatter_op() {
  return {
      .name = "scatter",
      .doc = "puts updates elements a row into rows x cols zeros, by distinct indices",
      .revision = 1,
      .params = {size_param("rows", "independent rows"),
                 size_param("cols", "elements of a result's row"),
                 size_param("updates", "elements put into a row"), library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {{"updates <= cols", "updates must be at most cols"}},
      .forward = {"0", "rows * ((updates + cols) * sizeof(dtype) + 8 * updates)"},
      .backward = {"0", "rows * updates * (2 * sizeof(dtype) + 8)"},
      .exact = "true",
  };
}

}  // namespace plumbline
