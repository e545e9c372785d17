/// Hopper's asynchronous matrix products of warp groups (PTX ISA, "wgmma"), bulk copies and
/// barriers.
///
/// Only for sm_90a.
#pragma once

#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

namespace plumbline::custom {

inline constexpr int kWarpGroup = 128;

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

__device__ inline std::uint32_t shared_address(const void* pointer) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// A matrix in shared memory with rows of 128 swizzled bytes. `leading`: bytes between chunks of 64
/// elements along a dimension that is contiguous in memory but is not the product's inner one.
/// `stride`: bytes between groups of eight rows.
__device__ inline std::uint64_t matrix_descriptor(const void* pointer, int leading, int stride) {
  const auto field = [](std::uint64_t bytes) { return (bytes & 0x3ffff) >> 4; };
  constexpr std::uint64_t kSwizzle128 = std::uint64_t{1} << 62;
  return field(shared_address(pointer)) | field(std::uint64_t(leading)) << 16 |
         field(std::uint64_t(stride)) << 32 | kSwizzle128;
}

__device__ inline void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory");
}
__device__ inline void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;\n" ::: "memory");
}
/// Waits until at most kGroups committed groups are in flight.
template <int kGroups>
__device__ inline void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;\n" ::"n"(kGroups) : "memory");
}

// A thread's 128 values of a 64 x 256 product, as the instruction names and binds them.
#define PLUMBLINE_NAMES                                                                          \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                       \
  "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "             \
  "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "             \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "             \
  "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "             \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "             \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define PLUMBLINE_BIND_8(i)                                                                   \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), \
      "+f"(d[i + 6]), "+f"(d[i + 7])
#define PLUMBLINE_BIND_32(i) \
  PLUMBLINE_BIND_8(i), PLUMBLINE_BIND_8(i + 8), PLUMBLINE_BIND_8(i + 16), PLUMBLINE_BIND_8(i + 24)
#define PLUMBLINE_MULTIPLY(type)                                                                  \
  asm volatile(                                                                                   \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %130, 0;\n"                                               \
      "wgmma.mma_async.sync.aligned.m64n256k16.f32." type "." type " {" PLUMBLINE_NAMES           \
      "}, %128, %129, p, 1, 1, 0, %131;\n}\n"                                                     \
      : PLUMBLINE_BIND_32(0), PLUMBLINE_BIND_32(32), PLUMBLINE_BIND_32(64), PLUMBLINE_BIND_32(96) \
      : "l"(a), "l"(b), "r"(int(adds)), "n"(kColumnsTogether))

/// d (64 x 256) = a (64 x 16) b (16 x 256), added to d if `adds`. With w the warp of the group, l
/// the lane and j from 0 to 31: a thread has d[4 j + {0, 1}] in row 16 w + l / 4 and
/// d[4 j + {2, 3}] eight rows below. Their columns are 8 j + 2 (l % 4) + {0, 1}. kColumnsTogether:
/// 1 if b is contiguous along its 256 columns, 0 if along the 16.
template <class T, int kColumnsTogether>
__device__ void multiply(float (&d)[128], std::uint64_t a, std::uint64_t b, bool adds) {
  if constexpr (std::is_same_v<T, __half>)
    PLUMBLINE_MULTIPLY("f16");
  else
    PLUMBLINE_MULTIPLY("bf16");
}

#undef PLUMBLINE_MULTIPLY
#undef PLUMBLINE_BIND_32
#undef PLUMBLINE_BIND_8
#undef PLUMBLINE_NAMES

template <int kRegisters>
__device__ inline void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}
template <int kRegisters>
__device__ inline void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kRegisters));
}

/// A barrier in shared memory (PTX ISA, "mbarrier"): counts arrivals of threads and bytes of
/// copies.
struct Barrier {
  std::uint64_t state;

  __device__ void open(unsigned arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(this)),
                 "r"(arrivals));
  }
  __device__ void arrive() {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(this))
                 : "memory");
  }
  __device__ void arrive_and_expect(unsigned bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(this)),
        "r"(bytes)
        : "memory");
  }
  /// Waits until the phase of that parity has ended.
  __device__ void wait(unsigned parity) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "again%=:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@p bra done%=;\n"
        "bra again%=;\n"
        "done%=:\n}\n" ::"r"(shared_address(this)),
        "r"(parity)
        : "memory");
  }
};

__device__ inline void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
}

/// Copies one box of a matrix, starting at column and row; the barrier counts its bytes.
__device__ inline void copy_box(void* to, const CUtensorMap& map, int col, int row,
                                Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%3, %4}], [%2];\n" ::"r"(shared_address(to)),
      "l"(&map), "r"(shared_address(&barrier)), "r"(col), "r"(row)
      : "memory");
}

#endif

}  // namespace plumbline::custom
