#include "backends/libtorch/libtorch.h"

#include <ATen/ops/empty_like.h>
#include <c10/core/AllocatorConfig.h>
#include <c10/core/CPUAllocator.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <memory>

#include "backends/libtorch/arena_allocator.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

using cuda::check;

/// One way to get memory.
struct Source {
  std::function<void*(std::size_t bytes)> allocate;
  std::function<void(void* memory)> release;
  std::function<void()> trim = [] {};
  /// Whether released memory is still allocated.
  std::function<bool(const void* memory)> is_held = [](const void*) { return false; };
};

cudaStream_t stream() { return c10::cuda::getCurrentCUDAStream(); }

Source of_the_cpu() {
  c10::Allocator* const allocator = c10::GetDefaultCPUAllocator();
  return {[=](std::size_t bytes) { return allocator->raw_allocate(bytes); },
          [=](void* memory) { allocator->raw_deallocate(memory); }};
}

/// LibTorch's own allocator, with segments of one kind. It holds no tensors of ours if an arena
/// places them. Its segments belong to the stream that was current, and releasing a growing segment
/// waits for that stream. So all segments are released before the stream is destroyed.
class OwnAllocator {
 public:
  explicit OwnAllocator(bool is_expandable)
      : given_(c10::CachingAllocator::getAllocatorSettings()) {
    allocator_.emptyCache();  // segments of the other kind
    set((given_.empty() ? "" : given_ + ",") +
        (is_expandable ? "expandable_segments:True" : "expandable_segments:False"));
  }
  ~OwnAllocator() {
    try {
      allocator_.emptyCache();
      set(given_.empty() ? "expandable_segments:False" : given_);
    } catch (const std::exception&) {
      // Ignored: the device has failed, and the worker ends with it.
    }
  }
  OwnAllocator(const OwnAllocator&) = delete;
  OwnAllocator& operator=(const OwnAllocator&) = delete;

  c10::cuda::CUDACachingAllocator::CUDAAllocator* operator->() const { return &allocator_; }

  std::int64_t allocated_bytes() const {
    int device = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    return allocator_.getDeviceStats(c10::DeviceIndex(device)).allocated_bytes[0].current;
  }

 private:
  static void set(const std::string& settings) {
    c10::CachingAllocator::setAllocatorSettings(settings);
  }

  c10::cuda::CUDACachingAllocator::CUDAAllocator& allocator_ = own_cuda_allocator();
  std::string given_;
};

Source of_libtorch(bool is_expandable) {
  const auto own = std::make_shared<OwnAllocator>(is_expandable);
  return {[own](std::size_t bytes) { return (*own)->raw_alloc(bytes); },
          [own](void* memory) { (*own)->raw_delete(memory); }, [own] { (*own)->emptyCache(); },
          [own, before = own->allocated_bytes()](const void*) {
            return own->allocated_bytes() != before;
          }};
}

Source of_cuda() {
  return {[](std::size_t bytes) {
            void* memory = nullptr;
            check(cudaMalloc(&memory, bytes), "cudaMalloc");
            return memory;
          },
          [](void* memory) { check(cudaFree(memory), "cudaFree"); }, [] {},
          [](const void* memory) {
            cudaPointerAttributes attributes{};
            check(cudaPointerGetAttributes(&attributes, memory), "cudaPointerGetAttributes");
            return attributes.type != cudaMemoryTypeUnregistered;
          }};
}

/// A pool of its own, which keeps freed memory until it is trimmed.
std::shared_ptr<CUmemPoolHandle_st> new_pool() {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  check(cudaGetDevice(&properties.location.id), "cudaGetDevice");
  cudaMemPool_t made = nullptr;
  check(cudaMemPoolCreate(&made, &properties), "cudaMemPoolCreate");
  std::shared_ptr<CUmemPoolHandle_st> pool(made,
                                           [](cudaMemPool_t old) { cudaMemPoolDestroy(old); });
  std::uint64_t keeps_bytes = UINT64_MAX;
  check(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keeps_bytes),
        "cudaMemPoolSetAttribute");
  return pool;
}

Source of_a_pool() {
  const auto pool = new_pool();
  return {[pool](std::size_t bytes) {
            void* memory = nullptr;
            check(cudaMallocFromPoolAsync(&memory, bytes, pool.get(), stream()), "cudaMallocAsync");
            return memory;
          },
          [](void* memory) { check(cudaFreeAsync(memory, stream()), "cudaFreeAsync"); },
          [pool] {
            check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
            check(cudaMemPoolTrimTo(pool.get(), 0), "cudaMemPoolTrimTo");
          },
          [pool](const void*) {
            check(cudaStreamSynchronize(stream()), "cudaStreamSynchronize");
            std::uint64_t used_bytes = 0;
            check(cudaMemPoolGetAttribute(pool.get(), cudaMemPoolAttrUsedMemCurrent, &used_bytes),
                  "cudaMemPoolGetAttribute");
            return used_bytes != 0;
          }};
}

Source source_of(const std::string& pattern, bool is_cuda) {
  if (!is_cuda && pattern == "libtorch") return of_the_cpu();
  if (!is_cuda)
    throw Unsupported("pattern=" + pattern +
                      " is about a GPU's memory; a CPU has pattern=libtorch");
  if (pattern == "cuda_malloc") return of_cuda();
  return pattern == "cuda_malloc_async" ? of_a_pool() : of_libtorch(pattern != "libtorch");
}

void copy(void* to, const void* from, std::size_t bytes, bool is_cuda) {
  if (!is_cuda)
    std::memcpy(to, from, bytes);
  else
    check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream()), "cudaMemcpyAsync");
}

/// Writes `x` to memory of that source and reads it back.
at::Tensor written_and_read_back(const Source& source, const at::Tensor& x) {
  const at::Tensor result = at::empty_like(x);
  void* const memory = source.allocate(x.nbytes());
  copy(memory, x.const_data_ptr(), x.nbytes(), x.is_cuda());
  copy(result.mutable_data_ptr(), memory, x.nbytes(), x.is_cuda());
  source.release(memory);
  if (source.is_held(memory)) throw std::runtime_error("memory that was freed is still allocated");
  return result;
}

}  // namespace

Implementation allocate_libtorch() {
  return [](const Problem& problem, const Operands& operands) -> Prepared {
    const at::Tensor x = operands.inputs[0];
    if (problem.flag("trim") && !x.is_cuda())
      throw Unsupported("trim=true is about allocators of a GPU's memory; --device cuda has them");
    const Source source = source_of(problem.text("pattern"), x.is_cuda());
    return {.launch =
                [source, bytes = x.nbytes(), is_trimmed = problem.flag("trim")] {
                  source.release(source.allocate(bytes));
                  if (is_trimmed) source.trim();
                },
            .results = [source, x]() -> Tensors { return {written_and_read_back(source, x)}; },
            .clear = [] {}};
  };
}

}  // namespace plumbline
