/// How large what this tree's kernels take may be: op.cpp tells suites, backends/custom and
/// custom.cu are made for it.
///
/// C++17, since CUDA sources include it.
#pragma once

#include <cstdint>

namespace plumbline {

/// Elements of a row that a block holds in registers: 32 in each of 1024 threads, 64 registers
/// each.
inline constexpr std::int64_t kCustomRowMax = 32 * 1024;
/// Of norms backward, which hold two rows.
inline constexpr std::int64_t kCustomBackwardRowMax = 16 * 1024;
/// Rows of a matrix that is transposed: a grid's y of tiles of 32.
inline constexpr std::int64_t kCustomTransposeRowsMax = 65535 * 32;

}  // namespace plumbline
