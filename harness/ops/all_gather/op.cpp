#include "ops/collective_op.h"

namespace plumbline {

/// Every rank gets the parts of all ranks, one after the other.
OpSpec all_gather_op() {
  OpSpec spec = collective_op("all_gather", "every rank gets all ranks' parts of a vector",
                              "length of the whole vector, of which each rank has a part",
                              {in_place_param()}, "(ranks - 1) / ranks * elements * sizeof(dtype)");
  divide(spec);
  return spec;
}

}  // namespace plumbline
