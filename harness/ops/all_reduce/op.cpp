#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Every rank gets the elements of all ranks, combined.
/// The bytes are those of nccl-tests' bus bandwidth (doc/PERFORMANCE.md there), so that bytes per
/// second can be compared with the speed of a link.
OpSpec all_reduce_op() {
  return {
      .name = "all_reduce",
      .doc = "every rank gets the combination of all ranks' vectors",
      .revision = 1,
      .params = {ranks_param(), size_param("elements", "length of a rank's vector"),
                 choice_param("reduction", {"sum", "avg", "max", "min"},
                              "how elements of ranks are combined"),
                 flag_param("in_place", false, "the result takes the place of the input"),
                 algorithm_param(), protocol_param(), group_graph_param()},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"nccl", "device.kind == 'cuda'",
                  "NCCL's ranks are GPUs; --device cuda has them"}},
      .forward = {"0", "2 * (ranks - 1) / ranks * elements * sizeof(dtype)"},
      .backward = {},
      .reduction_length = "ranks",
      .roundings = 2,
      .exact = "reduction == 'max' or reduction == 'min'",
  };
}

}  // namespace plumbline
