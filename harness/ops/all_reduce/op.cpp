#include "ops/collective_op.h"

namespace plumbline {

/// Every rank gets the elements of all ranks, combined.
OpSpec all_reduce_op() {
  OpSpec spec = collective_op("all_reduce", "every rank gets the combination of all ranks' vectors",
                              "length of a rank's vector", {reduction_param(), in_place_param()},
                              "2 * (ranks - 1) / ranks * elements * sizeof(dtype)");
  combine(spec);
  return spec;
}

}  // namespace plumbline
