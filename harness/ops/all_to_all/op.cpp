#include "ops/collective_op.h"

namespace plumbline {

/// Rank r gets part r of every rank's vector, one after the other: a transposition of parts.
OpSpec all_to_all_op() {
  OpSpec spec = collective_op("all_to_all", "every rank gets its part of every rank's vector",
                              "length of a rank's vector", {},
                              "(ranks - 1) / ranks * elements * sizeof(dtype)");
  divide(spec);
  send_and_receive(spec);
  return spec;
}

}  // namespace plumbline
