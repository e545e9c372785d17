/// Counters of LibTorch's own CUDA allocator. Only in profile stock: in the other profiles another
/// allocator replaces it.
///
/// PYTORCH_ALLOC_CONF (PYTORCH_CUDA_ALLOC_CONF) sets the allocator; it is read when LibTorch loads.
#pragma once

#include <c10/core/CachingDeviceAllocator.h>

#include <span>
#include <string>

namespace plumbline {

/// Bytes and counts; counts since the process started. kUnknown if the allocator does not keep
/// them: cudaMallocAsync leaves everything except bytes to the driver.
struct AllocatorStats {
  double allocated_bytes = 0, peak_allocated_bytes = 0;  // of tensors, after rounding up
  double reserved_bytes = 0, peak_reserved_bytes = 0;    // taken from the device
  double allocations = 0;
  double device_allocations = 0;  // calls of cudaMalloc, or of mapping memory
  double retries = 0;             // allocations that had to release cached memory first
};

AllocatorStats allocator_stats(int ordinal);
/// Restarts the peaks now.
void reset_allocator_peaks(int ordinal);
/// Returns reserved but unused memory to the device.
void empty_allocator_cache();

/// 1 - largest free piece / free memory, over segments that belong to no graph; 0 if nothing is
/// free. A piece is contiguous free memory in one segment.
double fragmentation_of(std::span<const c10::CachingDeviceAllocator::SegmentInfo> segments);
/// The same for the allocator now; kUnknown if it cannot list its segments.
double allocator_fragmentation();

/// All memory of the device that is in use, by any process and any call. Throws DeviceError.
double device_bytes_in_use();

/// The settings given in the environment; "native" if there are none.
std::string allocator_text();
/// native or cudaMallocAsync.
std::string allocator_name();

}  // namespace plumbline
