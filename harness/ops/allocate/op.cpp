#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Memory is allocated and freed again; nothing is done with it. The time is the host's, for both.
/// Verified outside of it: memory that is had the same way takes x and gives it back, and is no
/// longer allocated once it is freed (a CPU's allocator does not tell). LibTorch's allocator and a
/// pool of cudaMallocAsync keep what is freed, so that the next allocation does not ask the driver;
/// with `trim` they give it back after each free.
OpSpec allocate_op() {
  return {
      .name = "allocate",
      .doc = "memory allocated and freed again",
      .revision = 1,
      .params = {size_param("bytes", "of one allocation"),
                 word_param("pattern",
                            {"libtorch", "expandable_segments", "cuda_malloc", "cuda_malloc_async"},
                            "who is asked: LibTorch's allocator, the same with segments that grow, "
                            "cudaMalloc, or a pool by cudaMallocAsync"),
                 flag_param(
                     "trim", false,
                     "what is freed goes back to the driver each time, and is part of the time")},
      .dtypes = {DType::uint8},
      .has_backward = false,
      .requirements = {{"not trim or pattern != 'cuda_malloc'",
                        "cudaFree gives memory back by itself: there is nothing to trim"}},
      .limits = {{"libtorch", "pattern == 'libtorch' or device.kind == 'cuda'",
                  "this pattern is about a GPU's memory; a CPU has pattern=libtorch"},
                 {"libtorch", "not trim or device.kind == 'cuda'",
                  "trim=true is about allocators of a GPU's memory; --device cuda has them"}},
      .forward = {"0", "0"},
      .backward = {},
      .checked = "the bytes of a copy of the input in what was allocated last",
      .host_timed = "true",
  };
}

}  // namespace plumbline
