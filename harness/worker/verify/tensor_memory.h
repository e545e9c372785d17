/// The memory of tensors, as a device poisons it and looks at it.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
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

/// What a launch left, and who else holds it.
struct LaunchResults {
  Tensors tensors;
  std::size_t handles = 0;  // Prepared::result_handles
};

/// The memory that only these results hold: not that of `inputs`, not what the implementation keeps
/// a handle or a view of.
std::vector<MemorySpan> own_memory(const Device& device, const LaunchResults& results,
                                   const Tensors& inputs);

/// Enqueued.
void poison_memory(Device& device, const std::vector<MemorySpan>& spans);

/// Other values that lead through the same branches, for tensors that have values.
///
/// The numbers of a tensor up to one of them, which `seed` decides, get a little smaller. Order and
/// signs stay, and they are no multiple of what they were. Integers get smaller by 1. The smallest
/// one, and what is not above 0, stay: indices and lengths remain valid. The values are computed
/// aside, so that nobody knows them before they are put in place.
class NearValues {
 public:
  /// `is_other`: false for the same work with the same values.
  NearValues(const Tensors& tensors, std::uint64_t seed, bool is_other);
  /// Into the tensors' memory. `tells`: their versions change where values do, which a graph for
  /// gradients that was made of them would refuse.
  void put(bool tells);

 private:
  Tensors tensors_, values_;
  bool is_other_;
};

/// Ends a digest of all their elements. Enqueued.
void digest_memory(Device& device, const Tensors& tensors);

/// The same, and waits for it.
Digest digest_of(Device& device, const Tensors& tensors);

inline constexpr std::string_view kLateResults =
    "results of a launch appeared after it was over: its work runs on a stream or thread that the "
    "launch does not wait for";

/// Throws VisitFailure where results still change, within 50 ms, although their launch is over.
/// `seen`: what they were when it ended.
void require_complete(Device& device, const Tensors& results, const Digest& seen);

/// The same of several launches: one may end in time by chance.
void require_complete(Device& device, const std::function<Tensors()>& launch);

}  // namespace plumbline
