/// Memory of CUDA graphs that LibTorch captures while an arena holds its tensors.
///
/// A graph's replays write to its intermediate tensors again, although they were released during
/// the capture. So nobody else may get their memory before the graph is gone, which an arena does
/// not know. LibTorch's own allocator does: these tensors come from it.
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <functional>
#include <map>
#include <mutex>
#include <set>

namespace plumbline {

/// Safe to use from several threads: autograd allocates on its own ones.
class GraphPools {
 public:
  using Id = c10::cuda::MempoolId_t;
  using Filter = std::function<bool(cudaStream_t)>;

  /// A capture begins or ends; `filter` says which streams belong to it.
  void begin(c10::DeviceIndex device, Id id, Filter filter);
  void end(c10::DeviceIndex device, Id id);
  /// The graph is gone.
  void release_pool(c10::DeviceIndex device, Id id);

  /// Memory of the graph that is being captured on the stream; nullptr if there is none. Throws
  /// c10::OutOfMemoryError.
  void* allocate(std::size_t bytes, cudaStream_t stream);
  /// False if the memory is no graph's.
  bool release(void* memory);

 private:
  std::mutex mutex_;
  std::map<Id, Filter> capturing_;
  std::set<void*> memory_;
};

}  // namespace plumbline
