/// Descriptions of matrices for Hopper's bulk copies (TMA), made by the driver.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "core/dtype.h"

namespace plumbline::custom {

/// A row-major matrix of 16-bit elements that is copied in boxes of `box_rows` x 64 elements into
/// shared memory, whose rows of 128 bytes are swizzled (CUDA C++ Programming Guide, "Tensor Memory
/// Access"). What lies outside the matrix is read as zero. `cols` must be a multiple of 8, `data`
/// aligned to 16 bytes. Throws std::runtime_error where the driver refuses.
CUtensorMap tensor_map(const void* data, DType dtype, std::int64_t rows, std::int64_t cols,
                       int box_rows);

inline constexpr int kBoxCols = 64;

}  // namespace plumbline::custom
