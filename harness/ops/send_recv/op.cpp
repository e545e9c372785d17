#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Rank r gets the vector of the rank before it, rank 0 that of the last: a ring.
/// The bytes are those of nccl-tests' bus bandwidth (doc/PERFORMANCE.md there), so that bytes per
/// second can be compared with the speed of a link.
OpSpec send_recv_op() {
  return {
      .name = "send_recv",
      .doc = "every rank gets the vector of the rank before it",
      .revision = 1,
      .params = {ranks_param(), size_param("elements", "length of a rank's vector"),
                 algorithm_param(), protocol_param(), group_graph_param()},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"nccl", "device.kind == 'cuda'",
                  "NCCL's ranks are GPUs; --device cuda has them"}},
      .forward = {"0", "elements * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
