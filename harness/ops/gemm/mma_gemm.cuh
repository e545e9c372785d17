/// Matrix product by the tensor cores' synchronous instruction (PTX ISA, "mma.m16n8k16"), from
/// Ampere on.
///
/// A block of eight warps computes 128 x 128 elements of the result in steps of 32 along k; a warp
/// has 64 x 32 of them. Copies are three steps ahead.
#pragma once

#include <cstdint>
#include <type_traits>

#include "backends/custom/copies.cuh"
#include "backends/custom/packs.cuh"

namespace plumbline::custom {

struct MmaTile {
  static constexpr int kSide = 128, kDepth = 32, kStages = 4, kThreads = 256;
  /// Elements from row to row in shared memory, so that eight rows of 16 bytes are in different
  /// banks.
  static constexpr int kAlongDepth = kDepth + 8, kAlongSide = kSide + 8;
  static constexpr int kElements = kSide * kAlongDepth;  // of a stage, for either matrix; see below
  static constexpr int kShared = kStages * 2 * kElements * 2;
};
static_assert(MmaTile::kDepth * MmaTile::kAlongSide <= MmaTile::kElements);

/// Loads four 8 x 8 matrices; each lane names one row of one matrix. kTransposed: transposes each.
template <bool kTransposed>
__device__ void load_matrices(std::uint32_t (&r)[4], const void* row) {
  const auto at = std::uint32_t(__cvta_generic_to_shared(row));
  if (kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at)
                 : "memory");
}

template <class T>
__device__ void multiply_add(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
                             std::uint32_t b1) {
  if constexpr (std::is_same_v<T, __half>)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  else
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// A tile of `kRows` x `kCols` elements at (row, col) of a row-major matrix of rows x cols.
template <int kRows, int kCols, int kStride, class T>
__device__ void copy_tile(T* to, const T* from, int rows, int cols, int row, int col) {
  constexpr int kPacks = kCols / 8;
#pragma unroll
  for (int i = threadIdx.x; i < kRows * kPacks; i += MmaTile::kThreads) {
    const int r = i / kPacks, c = i % kPacks * 8;
    const bool is_there = row + r < rows && col + c < cols;
    const T* const at = is_there ? from + std::int64_t(row + r) * cols + col + c : from;
    copy_16(to + r * kStride + c, at, is_there);
  }
}

/// a: m x k. b: kColumnsTogether ? k x n : n x k. k and n are multiples of 8. bias may be null.
template <class T, bool kColumnsTogether>
__global__ void __launch_bounds__(MmaTile::kThreads)
    mma_gemm(const T* a, const T* b, const T* bias, T* c, int m, int n, int k) {
  using Tile = MmaTile;
  extern __shared__ __align__(16) unsigned char shared[];
  T* const ring = reinterpret_cast<T*>(shared);
  const int row = int(blockIdx.y) * Tile::kSide, col = int(blockIdx.x) * Tile::kSide;
  const int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  const int warp_row = warp / 4 * 64, warp_col = warp % 4 * 32;
  const int steps = (k + Tile::kDepth - 1) / Tile::kDepth;

  const auto copy_step = [&](int step) {
    T* const to = ring + step % Tile::kStages * 2 * Tile::kElements;
    const int depth = step * Tile::kDepth;
    if (step < steps) {
      copy_tile<Tile::kSide, Tile::kDepth, Tile::kAlongDepth>(to, a, m, k, row, depth);
      if (kColumnsTogether)
        copy_tile<Tile::kDepth, Tile::kSide, Tile::kAlongSide>(to + Tile::kElements, b, k, n, depth,
                                                               col);
      else
        copy_tile<Tile::kSide, Tile::kDepth, Tile::kAlongDepth>(to + Tile::kElements, b, n, k, col,
                                                                depth);
    }
    commit_copies();
  };
  for (int step = 0; step < Tile::kStages - 1; ++step) copy_step(step);

  float d[4][4][4] = {};
  for (int step = 0; step < steps; ++step) {
    wait_for_copies<Tile::kStages - 2>();
    __syncthreads();
    copy_step(step + Tile::kStages - 1);
    const T* const at = ring + step % Tile::kStages * 2 * Tile::kElements;
    const T* const bt = at + Tile::kElements;
#pragma unroll
    for (int i = 0; i < Tile::kDepth; i += 16) {
      std::uint32_t a_part[4][4], b_part[2][4];
#pragma unroll
      for (int r = 0; r < 4; ++r)
        load_matrices<false>(a_part[r], at + (warp_row + r * 16 + lane % 16) * Tile::kAlongDepth +
                                            i + lane / 16 * 8);
#pragma unroll
      for (int q = 0; q < 2; ++q) {
        const int first = warp_col + q * 16;
        if (kColumnsTogether)
          load_matrices<true>(b_part[q],
                              bt + (i + lane % 16) * Tile::kAlongSide + first + lane / 16 * 8);
        else
          load_matrices<false>(
              b_part[q],
              bt + (first + lane % 8 + lane / 16 * 8) * Tile::kAlongDepth + i + lane / 8 % 2 * 8);
      }
#pragma unroll
      for (int r = 0; r < 4; ++r)
#pragma unroll
        for (int q = 0; q < 4; ++q)
          multiply_add<T>(d[r][q], a_part[r], b_part[q / 2][q % 2 * 2],
                          b_part[q / 2][q % 2 * 2 + 1]);
    }
  }

#pragma unroll
  for (int r = 0; r < 4; ++r)
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const int to_col = col + warp_col + q * 8 + lane % 4 * 2;
      if (to_col >= n) continue;
      const float left = bias != nullptr ? to_float(bias[to_col]) : 0;
      const float right = bias != nullptr ? to_float(bias[to_col + 1]) : 0;
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int to_row = row + warp_row + r * 16 + lane / 4 + 8 * h;
        if (to_row >= m) continue;
        const Pack<T, 2> pack{
            {from_float<T>(d[r][q][2 * h] + left), from_float<T>(d[r][q][2 * h + 1] + right)}};
        store<2>(c + std::int64_t(to_row) * n + to_col, pack);
      }
    }
}

}  // namespace plumbline::custom
