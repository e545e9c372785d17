/// Tensor maps of matrices for Hopper's bulk copies (TMA), made by the driver.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "core/dtype.h"

namespace plumbline::custom {

/// A row-major matrix of 16-bit elements, copied in boxes of `box_rows` x 64 elements into shared
/// memory. The 128-byte rows of a box are swizzled (CUDA C++ Programming Guide, "Tensor Memory
/// Access"). Elements outside the matrix are read as zero. `cols` must be a multiple of 8, `data`
/// aligned to 16 bytes. Throws std::runtime_error if the driver refuses.
CUtensorMap tensor_map(const void* data, DType dtype, std::int64_t rows, std::int64_t cols,
                       int box_rows);

inline constexpr int kBoxCols = 64;

}  // namespace plumbline::custom
