#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y[i] = i, each by a kernel of one thread that does nothing else: the cost of starting kernels,
/// one after the other or as a graph. Each kernel stores a value, so that a missing one is found;
/// the store is part of the time. On the host, the cost is host_time. On the device, gpu_time has
/// the event floor subtracted, which is one empty kernel, so several kernels tell more than one.
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
