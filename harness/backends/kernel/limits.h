/// What a GPU and a kernel allow for a launch. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "backends/kernel/kernel_build.h"

namespace plumbline {

struct LaunchLimits {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t device_threads = 0;       // per block
  std::int64_t kernel_threads = 0;       // per block, with this kernel's registers
  std::int64_t shared_bytes = 0;         // per block, static and dynamic together
  std::int64_t static_shared_bytes = 0;  // used by this kernel in any case
  int registers = 0;                     // per thread
  std::int64_t cluster_blocks = 0;       // of a cluster; 0: the device has none
  std::int64_t blocks_at_once = 0;       // of this kernel on the whole device; 0: unknown
  std::string who_takes = "this device takes";
};

/// Beyond these a launch is impossible on every GPU (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability", up to 10.0).
inline const LaunchLimits kAnyGpu{.grid = {2147483647, 65535, 65535},
                                  .block = {1024, 1024, 64},
                                  .device_threads = 1024,
                                  .kernel_threads = 1024,
                                  .shared_bytes = 227 * 1024,
                                  .cluster_blocks = 16,
                                  .who_takes = "no GPU takes more than"};

/// Why such a launch is impossible; "" if it is possible.
std::string beyond_limits(const LaunchShape& shape, const LaunchLimits& limits);

}  // namespace plumbline
