#include "ops/collective_op.h"

namespace plumbline {

/// Rank r gets part r of the vectors of all ranks, combined.
OpSpec reduce_scatter_op() {
  OpSpec spec = collective_op("reduce_scatter",
                              "every rank gets its part of the combination of all ranks' vectors",
                              "length of a rank's vector", {reduction_param(), in_place_param()},
                              "(ranks - 1) / ranks * elements * sizeof(dtype)");
  combine(spec);
  divide(spec);
  return spec;
}

}  // namespace plumbline
