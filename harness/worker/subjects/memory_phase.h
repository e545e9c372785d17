/// What a case's launches allocate from LibTorch's allocator: the measurement `memory`.
///
/// One sample per launch, after launches in which libraries take their workspaces and the allocator
/// takes its memory. Knows the allocator as functions.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "backends/libtorch/allocator_stats.h"
#include "core/run/policy.h"
#include "measure/sampler.h"

namespace plumbline {

/// LibTorch's allocator on one device.
struct AllocatorView {
  std::function<AllocatorStats()> stats;
  std::function<void()> reset_peaks, empty_cache;
  std::function<double()> fragmentation;  // kUnknown if unknown
  std::function<double()> bytes_in_use;   // of the device, by all processes
  std::string name;
};
AllocatorView libtorch_allocator(int ordinal);

/// `launch` releases the results of the previous launch, `clear` those of the last one. Metrics
/// that the allocator does not count are absent. Throws what the launches throw.
VisitSamples measure_memory(Device& device, const Launch& launch,
                            const std::function<void()>& clear, const AllocatorView& allocator,
                            const Policy& policy);

/// Whether memory left by each launch accumulates: it grows over the first half of the launches and
/// over the second half.
bool grows_throughout(std::span<const double> growth);

}  // namespace plumbline
