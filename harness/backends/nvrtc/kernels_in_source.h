/// The kernels in a CUDA source, found by reading it: NVRTC only tells that one is missing.
///
/// Only for messages: kernels from macros and included files are not found. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::nvrtc {

/// Names of the __global__ functions in `text`, in order, each once, with their namespaces and
/// without template arguments: `ours::scale`.
std::vector<std::string> kernels_in_source(std::string_view text);

}  // namespace plumbline::nvrtc
