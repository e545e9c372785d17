#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Rank r gets part r of every rank's vector, one after the other: a transposition of parts.
/// The bytes are those of nccl-tests' bus bandwidth (doc/PERFORMANCE.md there), so that bytes per
/// second can be compared with the speed of a link.
OpSpec all_to_all_op() {
  return {
      .name = "all_to_all",
      .doc = "every rank gets its part of every rank's vector",
      .revision = 1,
      .params = {ranks_param(), size_param("elements", "length of a rank's vector"),
                 algorithm_param(), protocol_param(), group_graph_param()},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"elements % ranks == 0",
                        "every rank has an equal part: elements must be a multiple of ranks"}},
      .limits = {{"nccl", "device.kind == 'cuda'",
                  "NCCL's ranks are GPUs; --device cuda has them"}},
      .forward = {"0", "(ranks - 1) / ranks * elements * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
