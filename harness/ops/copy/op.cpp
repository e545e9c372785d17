#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// y = x, within device memory or over the bus between device and host: a bandwidth to compare
/// other ops with. No backward: the gradient is the output's gradient itself. Over the bus, the
/// bytes of one copy count at each end. For pageable memory the host waits and takes part.
OpSpec copy_op() {
  return {
      .name = "copy",
      .doc = "copy of a vector within the device's memory, or between it and the host's",
      .revision = 1,
      .params = {size_param("elements", "length of the vector"),
                 choice_param("path", {"device", "host_to_device", "device_to_host"},
                              "where from and where to"),
                 choice_param("host", {"pinned", "pageable"},
                              "the host's memory; for a copy of pageable memory the host waits")},
      .dtypes = {DType::float64, DType::float32, DType::float16, DType::bfloat16},
      .has_backward = false,
      .requirements = {{"host == 'pinned' or path != 'device'",
                        "host=pageable is for copies from and to the host"}},
      .limits = {{"libtorch", "path == 'device' or device.kind == 'cuda'",
                  "a CPU's memory is the host's, with path=device alone; --device cuda has both"}},
      .forward = {"0", "(path == 'device' ? 2 : 1) * elements * sizeof(dtype)"},
      .backward = {},
      .exact = "true",
      .host_timed = "host == 'pageable'",
  };
}

}  // namespace plumbline
