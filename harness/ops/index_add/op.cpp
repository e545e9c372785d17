#include "core/op/library_settings.h"
#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[i, :] = sum of x[u, :] over the updates u with index[u] = i, starting from zeros: scatter-add
/// by rows, as in graph networks and mixtures of experts. Indices repeat: they are drawn from
/// `rows` with equal chances. Backward reads each named row of the output's gradient once. The cost
/// has the expected number of distinct rows.
OpSpec index_add_op() {
  const std::string distinct = "rows * (1 - (1 - 1 / rows) ** updates)";
  return {
      .name = "index_add",
      .doc = "adds updates x cols rows into rows x cols zeros, by index, with repeated indices",
      .revision = 1,
      .params = {size_param("rows", "rows of the result"), size_param("cols", "elements of a row"),
                 size_param("updates", "rows that are added"), library_param("deterministic")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = true,
      .requirements = {},
      .forward = {"updates * cols", "(updates + rows) * cols * sizeof(dtype) + 8 * updates"},
      .backward = {"0", "(updates + " + distinct + ") * cols * sizeof(dtype) + 8 * updates"},
      // Atomic additions round each partial sum to the result's own dtype. The summed rounding
      // errors of n steps of a random walk are 0.14 eps sqrt(n) times its length; this allows eps
      // sqrt(n) / 2 of 16 bits.
      .reduction_length =
          "max(1, updates / rows)"
          " * (dtype == 'bfloat16' ? 2 ** 26 : dtype == 'float16' ? 2 ** 20 : 1)",
      .tolerance_factor = 4,
      .exact = "direction == 'backward'",
      .checked =
          "the results; in 16 bits with the error of adding the updates of a row one after the "
          "other in that type, which grows with the root of their number",
  };
}

}  // namespace plumbline
