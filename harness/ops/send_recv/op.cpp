#include "ops/collective_op.h"

namespace plumbline {

/// Rank r gets the vector of the rank before it, rank 0 that of the last: a ring.
OpSpec send_recv_op() {
  return collective_op("send_recv", "every rank gets the vector of the rank before it",
                       "length of a rank's vector", {}, "elements * sizeof(dtype)");
}

}  // namespace plumbline
