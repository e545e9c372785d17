/// The kernels that a CUDA source has, found by reading it: NVRTC tells only that it lacks one.
///
/// For messages alone: what macros and included files make is not seen. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plumbline::nvrtc {

/// Names of the __global__ functions of `text` in their order, each once, with the namespaces that
/// they stand in and without template arguments: `ours::scale`.
std::vector<std::string> kernels_in_source(std::string_view text);

}  // namespace plumbline::nvrtc
