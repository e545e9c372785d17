/// The memory of tensors, as a device poisons it and looks at it.
#pragma once

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

}  // namespace plumbline
