/// Asynchronous copies from global to shared memory, in groups that belong to one thread.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace plumbline::custom {

/// Copies 16 bytes, or writes zeros if `is_there` is false.
__device__ inline void copy_16(void* to, const void* from, bool is_there = true) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(
                   std::uint32_t(__cvta_generic_to_shared(to))),
               "l"(from), "r"(is_there ? 16 : 0)
               : "memory");
}
__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }
/// Waits for all groups except the last kGroups.
template <int kGroups>
__device__ inline void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kGroups) : "memory");
}

}  // namespace plumbline::custom
