/// How long the name of a suite may be.
#pragma once

#include <cstddef>

namespace plumbline {

/// Bytes of a suite's name as that of a file: baselines are named by it, and a file's name has 255
/// with all that is added while it is written.
inline constexpr std::size_t kLongestSuiteName = 200;

}  // namespace plumbline
