#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Rank 1 gets the vector of rank 0: the speed of the link between two GPUs, to compare collectives
/// with.
OpSpec peer_copy_op() {
  return {
      .name = "peer_copy",
      .doc = "copy of a vector from one GPU to another",
      .revision = 1,
      .params = {{"ranks", ParamKind::integer, std::nullopt, 2, {}, "GPUs: two", 2},
                 size_param("elements", "length of the vector"),
                 choice_param("path", {"direct", "host"},
                              "direct: over the link between the GPUs; host: through pinned "
                              "memory of the host, as without peer access")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {},
      .limits = {{"libtorch", "device.kind == 'cuda'", "ranks are GPUs; --device cuda has them"}},
      .forward = {"0", "elements * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
  };
}

}  // namespace plumbline
