#include "backends/libtorch/graph_pools.h"

#include <algorithm>
#include <utility>

#include "backends/libtorch/arena_allocator.h"

namespace plumbline {

void GraphPools::begin(c10::DeviceIndex device, Id id, Filter filter) {
  own_cuda_allocator().beginAllocateToPool(device, id, filter);
  const std::lock_guard lock(mutex_);
  capturing_[id] = std::move(filter);
}

void GraphPools::end(c10::DeviceIndex device, Id id) {
  own_cuda_allocator().endAllocateToPool(device, id);
  const std::lock_guard lock(mutex_);
  capturing_.erase(id);
}

void GraphPools::release_pool(c10::DeviceIndex device, Id id) {
  own_cuda_allocator().releasePool(device, id);
}

void* GraphPools::allocate(std::size_t bytes, cudaStream_t stream) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::none_of(capturing_, [&](const auto& one) { return one.second(stream); }))
    return nullptr;
  void* memory = own_cuda_allocator().raw_alloc_with_stream(bytes, stream);
  memory_.insert(memory);
  return memory;
}

bool GraphPools::release(void* memory) {
  const std::lock_guard lock(mutex_);
  if (memory_.erase(memory) == 0) return false;
  own_cuda_allocator().raw_delete(memory);
  return true;
}

}  // namespace plumbline
