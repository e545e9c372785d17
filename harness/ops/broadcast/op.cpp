#include "ops/collective_op.h"

namespace plumbline {

/// Every rank gets the vector of rank 0.
OpSpec broadcast_op() {
  return collective_op("broadcast", "every rank gets the vector of rank 0", "length of the vector",
                       {}, "elements * sizeof(dtype)");
}

}  // namespace plumbline
