#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[i] = i, each by a kernel of one thread that does nothing else: what starting kernels costs,
/// one after the other or as a graph. A kernel that stores nothing could not be found missing; what
/// the store takes is part of the time. On the host starting them is host_time; on the device
/// gpu_time has the event floor taken off, which is one empty kernel, so that several say more than
/// one.
OpSpec launch_op() {
  return {
      .name = "launch",
      .doc = "kernels of one thread that store their number, one after the other",
      .revision = 1,
      .params =
          {{"count", ParamKind::integer, std::int64_t{1}, 1, {}, "kernels of a launch", 16384},
           choice_param("kind", {"stream", "graph"},
                        "put on the stream one by one, or as a CUDA graph")},
      .dtypes = {DType::float32},
      .has_backward = false,
      .requirements =
          {{"kind == 'graph' or count <= 256",
            "a stream that is held takes 256 kernels; count=… kind=graph may have more"}},
      .forward = {"0", "count * sizeof(dtype)"},
      .backward = {},
      .exact = "true",  // whole numbers
  };
}

}  // namespace plumbline
