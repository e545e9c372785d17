/// What LibTorch's own CUDA allocator counts of itself. Only in profile stock: elsewhere another
/// allocator stands in its place.
///
/// The allocator is set by PYTORCH_ALLOC_CONF (PYTORCH_CUDA_ALLOC_CONF), read when LibTorch loads.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <span>
#include <string>

namespace plumbline {

/// Bytes and counts; the counts since the process began. kUnknown where the allocator does not
/// keep them: cudaMallocAsync leaves all but bytes to the driver.
struct AllocatorStats {
  double allocated_bytes = 0, peak_allocated_bytes = 0;  // of tensors, as rounded up for them
  double reserved_bytes = 0, peak_reserved_bytes = 0;    // taken from the device
  double allocations = 0;
  double device_allocations = 0;  // calls of cudaMalloc, or of mapping memory
  double retries = 0;             // that had to give cached memory back first
};

AllocatorStats allocator_stats(int ordinal);
/// Peaks are from now on.
void reset_allocator_peaks(int ordinal);
/// Gives what is reserved and free back to the device.
void empty_allocator_cache();

/// 1 - largest free piece / free memory of the segments that belong to no graph; 0 where nothing is
/// free. A piece is what lies side by side in one segment.
double fragmentation_of(std::span<const c10::CachingDeviceAllocator::SegmentInfo> segments);
/// The same of the allocator now; kUnknown where it cannot list its segments.
double allocator_fragmentation();

/// All memory of the device that is in use, by whomever and by whatever call. Throws DeviceError.
double device_bytes_in_use();

/// Its settings as the environment gave them, "native" where it gave none.
std::string allocator_text();
/// native or cudaMallocAsync.
std::string allocator_name();

}  // namespace plumbline
