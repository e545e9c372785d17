/// What a case's launches ask of LibTorch's allocator: the measurement `memory`.
///
/// One sample per launch, after launches that let libraries take their workspaces and the allocator
/// its memory. Knows the allocator as functions.
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
  std::function<double()> fragmentation;  // kUnknown where it cannot be told
  std::function<double()> bytes_in_use;   // of the device, by whomever
  std::string name;
};
AllocatorView libtorch_allocator(int ordinal);

/// `launch` drops the results of the launch before, `clear` those of the last one. Metrics that the
/// allocator keeps no counts for are absent. Throws what the launches throw.
VisitSamples measure_memory(Device& device, const Launch& launch,
                            const std::function<void()>& clear, const AllocatorView& allocator,
                            const Policy& policy);

/// Whether what stays behind after each launch adds up: it grows over the first half of the
/// launches, and over the second.
bool grows_throughout(std::span<const double> growth);

}  // namespace plumbline
