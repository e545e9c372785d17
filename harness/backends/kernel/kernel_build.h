/// From a declaration and a case's parameters to the compiler's job and the launch.
///
/// Pure: turns expressions into C++ texts and numbers. Knows neither NVRTC's library nor a GPU.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "backends/nvrtc/nvrtc.h"
#include "core/dtype.h"
#include "core/run/case.h"

namespace plumbline {

/// The CUDA C++ type of a tensor's elements.
std::string_view cpp_type(DType dtype);

/// The job for NVRTC: the kernel (`ours::scale<float, 4>`) and all options: architecture, line
/// numbers for tools, CUDA's headers, macros, then the suite's options. A relative -I starts at the
/// source's folder.
nvrtc::Job compile_job(const KernelCode& kernel, const Params& params, const std::string& text,
                       const std::string& architecture,
                       const std::vector<std::string>& toolkit_folders);

struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;                 // dynamic
  std::array<std::int64_t, 3> cluster{1, 1, 1};  // blocks
  bool is_cooperative = false, is_dependent = false;

  std::int64_t blocks() const { return grid[0] * grid[1] * grid[2]; }
  std::int64_t threads() const { return block[0] * block[1] * block[2]; }
  std::int64_t blocks_of_cluster() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Throws Error for a size that is not an integer of at least 1 (shared: 0), or a switch that is
/// neither 0 nor 1.
LaunchShape launch_shape(const KernelCode& kernel, const Params& params);

/// The bytes of a scalar argument, little-endian. Throws Error with the argument's name if the
/// value does not fit its type.
std::array<unsigned char, 8> scalar_bytes(const Argument& argument, const Params& params);

}  // namespace plumbline
