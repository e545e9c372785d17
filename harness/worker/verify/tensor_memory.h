/// The memory of tensors, as a device poisons it and looks at it.
#pragma once

#include <functional>
#include <vector>

#include "backends/implementation.h"
#include "device/device.h"

namespace plumbline {

/// While it lives, memory that is allocated holds no result from before.
class PoisonedAllocations {
 public:
  explicit PoisonedAllocations(Device& device) : device_(device) {
    device_.synchronize();
    device_.poison_allocations(true);
  }
  ~PoisonedAllocations() { device_.poison_allocations(false); }
  PoisonedAllocations(const PoisonedAllocations&) = delete;
  PoisonedAllocations& operator=(const PoisonedAllocations&) = delete;

 private:
  Device& device_;
};

/// The memory that only these results hold: not that of `inputs`, not a view of another tensor.
std::vector<MemorySpan> own_memory(const Device& device, const Tensors& results,
                                   const Tensors& inputs);

/// Poisons own_memory(). Enqueued.
void poison_memory(Device& device, const Tensors& results, const Tensors& inputs);

inline constexpr double kUnscaled = 0;

/// Multiplies what is of a floating-point type that LibTorch computes with, by 1 too; kUnscaled:
/// does nothing.
void scale_memory(const Tensors& tensors, double factor);

/// Ends a digest of all their elements. Enqueued.
void digest_memory(Device& device, const Tensors& tensors);

/// The same, and waits for it.
Digest digest_of(Device& device, const Tensors& tensors);

/// Throws VisitFailure where results still change, within 50 ms, although their launch is over.
/// `seen`: what they were when it ended.
void require_complete(Device& device, const Tensors& results, const Digest& seen);

/// The same of several launches: one may end in time by chance.
void require_complete(Device& device, const std::function<Tensors()>& launch);

}  // namespace plumbline
