#include "core/op/op_spec.h"
#include "ops/params.h"

namespace plumbline {

/// Allocates memory and frees it again, without using it. The time is host time for both. Verified
/// outside the window: memory from the same source takes x and returns it, and is no longer
/// allocated after it is freed (a CPU's allocator does not tell). LibTorch's allocator and a pool
/// of cudaMallocAsync keep freed memory, so that the next allocation does not ask the driver. With
/// `trim` they return it after each free.
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
