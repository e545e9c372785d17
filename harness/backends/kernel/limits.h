/// What a GPU and a kernel allow of a launch. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "backends/kernel/kernel_build.h"

namespace plumbline {

struct LaunchLimits {
  std::array<std::int64_t, 3> grid{}, block{};
  std::int64_t device_threads = 0;       // of a block
  std::int64_t kernel_threads = 0;       // of a block, with the registers that this kernel takes
  std::int64_t shared_bytes = 0;         // of a block, static and dynamic together
  std::int64_t static_shared_bytes = 0;  // that this kernel has in any case
  int registers = 0;                     // of a thread
};

/// Why such a launch is impossible, or "".
std::string beyond_limits(const LaunchShape& shape, const LaunchLimits& limits);

}  // namespace plumbline
