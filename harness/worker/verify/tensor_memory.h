/// The memory of tensors, for a device to poison and digest.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "backends/implementation.h"
#include "device/device.h"

namespace plumbline {

/// During its lifetime, new memory holds no earlier results.
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

/// Results of a launch, and how many handles hold them.
struct LaunchResults {
  Tensors tensors;
  std::size_t handles = 0;  // Prepared::result_handles
};

/// Memory that only these results hold: neither that of `inputs`, nor that of which the
/// implementation keeps a handle or a view.
std::vector<MemorySpan> own_memory(const Device& device, const LaunchResults& results,
                                   const Tensors& inputs);

/// Enqueued.
void poison_memory(Device& device, const std::vector<MemorySpan>& spans);

/// Other values that take the same branches, for tensors that have values.
///
/// The numbers of a tensor up to one of them, chosen by `seed`, are made a little smaller; integers
/// by 1. Order and signs stay, and the new numbers are not a multiple of the old ones. The smallest
/// number and numbers not above 0 stay: indices and lengths remain valid. The values are computed
/// elsewhere, so that nobody can read them before they are put in place.
class NearValues {
 public:
  /// `is_other`: false does the same work with the same values.
  NearValues(const Tensors& tensors, std::uint64_t seed, bool is_other);
  /// Copies the values to the tensors' memory. `tells`: changes the versions of tensors whose
  /// values change; a gradient graph made from them would refuse that.
  void put(bool tells);

 private:
  Tensors tensors_, values_;
  bool is_other_;
};

/// Ends a digest of all elements. Enqueued.
void digest_memory(Device& device, const Tensors& tensors);

/// The same, and waits for the digest.
Digest digest_of(Device& device, const Tensors& tensors);

inline constexpr std::string_view kLateResults =
    "results of a launch appeared after it was over: its work runs on a stream or thread that the "
    "launch does not wait for";

/// Throws VisitFailure if results still change within 50 ms after their launch is over. `seen`:
/// their digest at the end of the launch.
void require_complete(Device& device, const Tensors& results, const Digest& seen);

/// The same for several launches: one may be complete by chance.
void require_complete(Device& device, const std::function<Tensors()>& launch);

}  // namespace plumbline
