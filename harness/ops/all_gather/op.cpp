#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Every rank gets the parts of all ranks, one after the other.
/// The bytes are those of nccl-tests' bus bandwidth (doc/PERFORMANCE.md there), so that bytes per
/// second can be compared with the speed of a link.
OpSpec all_gather_op() {
  return {
      .name = "all_gather",
      .doc = "every rank gets all ranks' parts of a vector",
      .revision = 1,
      .params = {ranks_param(),
                 size_param("elements",
                            "length of the whole vector, of which each rank has a part"),
                 flag_param("in_place", false, "the result takes the place of the input"),
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
