#include "backends/libtorch/arena_allocator.h"

#include <c10/core/CPUAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <torch/csrc/cuda/CUDAPluggableAllocator.h>

#include <cstring>
#include <memory>
#include <utility>

#include "backends/libtorch/graph_pools.h"

namespace plumbline {
namespace {

/// LibTorch's allocator interfaces take plain functions, so their device is a static variable.
Device* placed_device = nullptr;

void* place(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = placed_device->allocate(bytes);
  TORCH_CHECK_WITH(OutOfMemoryError, memory != nullptr, "no room for ", bytes,
                   " bytes in the arena");
  return memory;
}

void drop(void* memory) {
  if (memory != nullptr) placed_device->release(memory);
}

/// LibTorch's own allocator, remembered before another one replaces it. LibTorch does not replace
/// an allocator that is ready to use.
c10::cuda::CUDACachingAllocator::CUDAAllocator* own_allocator() {
  static auto* const kOwn = c10::cuda::CUDACachingAllocator::get();
  return kOwn;
}

/// The most workspace for cuDNN's benchmarks: LibTorch asks its allocator for it, and its pluggable
/// allocator throws.
constexpr std::size_t kLargestWorkspace = std::size_t{1} << 30;

class CudaArenaAllocator final
    : public torch::cuda::CUDAPluggableAllocator::CUDAPluggableAllocator {
 public:
  CudaArenaAllocator()
      : CUDAPluggableAllocator(
            [this](std::size_t bytes, int, cudaStream_t stream) {
              void* memory = bytes == 0 ? nullptr : graphs_.allocate(bytes, stream);
              return memory != nullptr ? memory : place(bytes);
            },
            [this](void* memory, std::size_t, int, cudaStream_t) {
              if (!graphs_.release(memory)) drop(memory);
            }) {}
  void cacheInfo(c10::DeviceIndex, std::size_t* largest) override { *largest = kLargestWorkspace; }

  void beginAllocateToPool(c10::DeviceIndex device, GraphPools::Id id,
                           GraphPools::Filter filter) override {
    graphs_.begin(device, id, std::move(filter));
  }
  void endAllocateToPool(c10::DeviceIndex device, GraphPools::Id id) override {
    graphs_.end(device, id);
  }
  void releasePool(c10::DeviceIndex device, GraphPools::Id id) override {
    graphs_.release_pool(device, id);
  }

 private:
  GraphPools graphs_;
};

class CpuArenaAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    void* memory = place(bytes);
    return {memory, memory, &drop, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &drop; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(to, from, bytes);
  }
};

}  // namespace

void place_cpu_tensors(Device& device) {
  static CpuArenaAllocator allocator;
  placed_device = &device;
  constexpr std::uint8_t kOverTheDefault = 255;
  c10::SetCPUAllocator(&allocator, kOverTheDefault);
}

c10::cuda::CUDACachingAllocator::CUDAAllocator& own_cuda_allocator() {
  c10::cuda::CUDACachingAllocator::CUDAAllocator& own = *own_allocator();
  if (!own.initialized()) own.init(c10::cuda::device_count());
  return own;
}

void place_cuda_tensors(Device& device) {
  own_allocator();
  placed_device = &device;
  torch::cuda::CUDAPluggableAllocator::changeCurrentAllocator(
      std::make_shared<CudaArenaAllocator>());
}

}  // namespace plumbline
