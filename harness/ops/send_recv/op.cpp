#include "ops/collective_op.h"

namespace plumbline {

/// Rank r gets the vector of the rank before it, rank 0 that of the last: a ring.
OpSpec send_recv_op() {
  OpSpec spec = collective_op("send_recv", "every rank gets the vector of the rank before it",
                              "length of a rank's vector", {}, "elements * sizeof(dtype)");
  send_and_receive(spec);
  return spec;
}

}  // namespace plumbline
