/// Shared by products whose operands have a scale for each short block of a row: the number
/// formats, and what tensor cores need.
///
/// Formats: Open Compute Project, OCP Microscaling Formats (MX) 1.0 (2023), and for the order of
/// scales NVIDIA's cuBLAS documentation, "1D Block Scaling Factors Layout".
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <cuda_runtime_api.h>

#include <limits>
#include <string>

#include "backends/implementation.h"

namespace plumbline {

/// E8M0: 2^(code - 127), no sign and no zero; 255 is NaN. `codes`: uint8. Float64.
inline at::Tensor of_e8m0(const at::Tensor& codes) {
  constexpr int kBias = 127, kNaN = 255;
  const at::Tensor exponents = codes.to(at::kDouble) - kBias;
  return at::where(codes == kNaN, std::numeric_limits<double>::quiet_NaN(),
                   at::pow(2.0, exponents));
}

/// E2M1: one bit of sign, two of exponent (bias 1), one of mantissa: ±{0, 0.5, 1, 1.5, 2, 3, 4, 6},
/// no infinity and no NaN. `codes`: uint8 from 0 to 15. Float64.
inline at::Tensor of_e2m1(const at::Tensor& codes) {
  const at::Tensor mantissa = codes.remainder(2).to(at::kDouble);
  const at::Tensor exponent = codes.floor_divide(2).remainder(4).to(at::kDouble);
  const at::Tensor size =
      at::where(exponent == 0, mantissa / 2, (1 + mantissa / 2) * at::pow(2.0, exponent - 1));
  return at::where(codes >= 8, -size, size);
}

/// Two codes a byte, the first in the lower half: rows x k from rows x k / 2.
inline at::Tensor unpacked(const at::Tensor& bytes) {
  return at::stack({bytes.remainder(16), bytes.floor_divide(16)}, 2).flatten(1);
}

/// x[i, l] * scale[i, l / block], in the type of x.
inline at::Tensor scaled_blocks(const at::Tensor& x, const at::Tensor& scale) {
  return (x.view({x.size(0), scale.size(1), -1}) * scale.to(x.scalar_type()).unsqueeze(2))
      .reshape(x.sizes());
}

/// The order in which tensor cores read scales: tiles of 128 rows and 4 scales, scale l of row i of
/// a tile at 16 (i mod 32) + 4 (i / 32) + l, tiles row by row. Missing rows and scales are 0.
/// `scale`: rows x blocks, of one byte each. Flat.
inline at::Tensor in_tiles(const at::Tensor& scale) {
  constexpr std::int64_t kRows = 128, kScales = 4, kInterleaved = 32;
  const auto missing = [](std::int64_t size, std::int64_t tile) {
    return (tile - size % tile) % tile;
  };
  const at::Tensor whole =
      at::constant_pad_nd(scale.view(at::kByte),
                          {0, missing(scale.size(1), kScales), 0, missing(scale.size(0), kRows)});
  return whole.view({-1, kRows / kInterleaved, kInterleaved, whole.size(1) / kScales, kScales})
      .permute({0, 3, 2, 1, 4})
      .contiguous()
      .flatten();
}

/// Why a GPU of that compute capability has no tensor cores with scales of blocks; "": it has.
inline std::string lack_of_block_scales(const std::string& what, int major, int minor) {
  constexpr int kBlackwell = 10;
  if (major >= kBlackwell) return "";
  return what +
         " need tensor cores of compute capability 10.0 or newer (Blackwell); this device has " +
         std::to_string(major) + '.' + std::to_string(minor);
}

/// Throws Unsupported for a GPU whose tensor cores have no scales of blocks.
inline void require_block_scales(const std::string& what) {
  int device = 0, major = 0, minor = 0;
  const bool is_known =
      cudaGetDevice(&device) == cudaSuccess &&
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess &&
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess;
  const std::string lack = is_known ? lack_of_block_scales(what, major, minor) : "";
  if (!lack.empty()) throw Unsupported(lack);
}

}  // namespace plumbline
