/// How long the name of a suite may be.
#pragma once

#include <cstddef>

namespace plumbline {

/// The longest name of a suite, in bytes. Baseline files are named by it, and a file name has at
/// most 255 bytes, with what is added to it while the file is written.
inline constexpr std::size_t kLongestSuiteName = 200;

}  // namespace plumbline
