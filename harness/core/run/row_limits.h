/// Size limits of this tree's own kernels. op.cpp reports them to suites; backends/custom and
/// custom.cu are written for them.
///
/// C++17, because CUDA sources include it.
#pragma once

#include <cstdint>

namespace plumbline {

/// Elements of a row that a block holds in registers: 32 in each of 1024 threads, 64 registers
/// each.
inline constexpr std::int64_t kCustomRowMax = 32 * 1024;
/// For norms backward, which hold two rows.
inline constexpr std::int64_t kCustomBackwardRowMax = 16 * 1024;
/// Rows of a matrix to transpose: a grid's y dimension times tiles of 32.
inline constexpr std::int64_t kCustomTransposeRowsMax = 65535 * 32;

}  // namespace plumbline
