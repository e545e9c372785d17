#include "backends/libtorch/allocator_stats.h"

#include <c10/core/AllocatorConfig.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

#include "core/unknown.h"
#include "device/cuda/kernels.h"

namespace plumbline {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

bool keeps_counts() { return allocator_name() == "native"; }

}  // namespace

AllocatorStats allocator_stats(int ordinal) {
  const auto found = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(ordinal));
  AllocatorStats stats;
  stats.allocated_bytes = double(found.allocated_bytes[kAll].current);
  stats.peak_allocated_bytes = double(found.allocated_bytes[kAll].peak);
  stats.reserved_bytes = double(found.reserved_bytes[kAll].current);
  stats.peak_reserved_bytes = double(found.reserved_bytes[kAll].peak);
  const bool counts = keeps_counts();
  stats.allocations = counts ? double(found.allocation[kAll].allocated) : kUnknown;
  stats.device_allocations = counts ? double(found.num_device_alloc) : kUnknown;
  stats.retries = counts ? double(found.num_alloc_retries) : kUnknown;
  return stats;
}

void reset_allocator_peaks(int ordinal) {
  allocator::resetPeakStats(static_cast<c10::DeviceIndex>(ordinal));
}

void empty_allocator_cache() { allocator::emptyCache(); }

double fragmentation_of(std::span<const c10::CachingDeviceAllocator::SegmentInfo> segments) {
  std::size_t free = 0;
  std::size_t largest = 0;
  for (const auto& segment : segments) {
    if (segment.owner_private_pool_id != c10::MempoolId_t{0, 0}) continue;
    std::size_t piece = 0;
    for (const auto& block : segment.blocks) {
      piece = block.active ? 0 : piece + block.size;
      free += block.active ? 0 : block.size;
      largest = std::max(largest, piece);
    }
  }
  return free == 0 ? 0 : 1 - double(largest) / double(free);
}

double allocator_fragmentation() {
  if (!keeps_counts()) return kUnknown;
  return fragmentation_of(allocator::snapshot({0, 0}, /*include_traces=*/false).segments);
}

double device_bytes_in_use() {
  std::size_t free = 0;
  std::size_t total = 0;
  cuda::check(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  return double(total - free);
}

std::string allocator_text() {
  const std::string settings = c10::CachingAllocator::getAllocatorSettings();
  return settings.empty() ? "native" : settings;
}

std::string allocator_name() { return allocator::name(); }

}  // namespace plumbline
