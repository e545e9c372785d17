/// Matrix product on Hopper: one warp group copies tiles into shared memory, two multiply them.
///
/// A block computes 128 x 256 elements of the result, in steps of 64 along k. The copying warp
/// group keeps a ring of stages full. Barriers tell which stage is full and which may be
/// overwritten.
#pragma once

#include "backends/custom/hopper.cuh"
#include "backends/custom/packs.cuh"

namespace plumbline::custom {

struct HopperTile {
  static constexpr int kRows = 128, kCols = 256, kDepth = 64;
  static constexpr int kStages = 4;
  static constexpr int kBytesA = kRows * kDepth * 2, kBytesB = kCols * kDepth * 2;
  static constexpr int kThreads = 3 * kWarpGroup;
  /// Shared memory: the ring, its alignment to 1024 bytes, the barriers.
  static constexpr int kShared = kStages * (kBytesA + kBytesB) + 1024 + 16 * kStages;
};

struct GemmShape {
  int m, n, k;
};

/// Blocks that run at the same time work on a square of tiles, so that they share cached data:
/// columns of kTilesHigh tiles, from left to right.
inline constexpr int kTilesHigh = 16;

struct TilePlace {
  int row, col;
};

__device__ inline TilePlace tile_place(int block, int tiles_high, int tiles_wide) {
  const int band = block / (kTilesHigh * tiles_wide);
  const int first = band * kTilesHigh;
  const int high = min(kTilesHigh, tiles_high - first);
  const int in_band = block - band * kTilesHigh * tiles_wide;
  return {first + in_band % high, in_band / high};
}

/// a: m x k, contiguous along k, in boxes of 128 rows. b: kColumnsTogether ? k x n in boxes of 64
/// rows : n x k in boxes of 256 rows. bias: n elements, or null.
template <class T, int kColumnsTogether>
__global__ void __launch_bounds__(HopperTile::kThreads)
    hopper_gemm(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                const T* bias, T* c, GemmShape shape) {
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
  using Tile = HopperTile;
  extern __shared__ unsigned char shared[];
  unsigned char* const ring = shared + (1024 - shared_address(shared) % 1024) % 1024;
  unsigned char* const ring_b = ring + Tile::kStages * Tile::kBytesA;
  auto* const full = reinterpret_cast<Barrier*>(ring_b + Tile::kStages * Tile::kBytesB);
  Barrier* const empty = full + Tile::kStages;
  const int group = int(threadIdx.x) / kWarpGroup,
            steps = (shape.k + Tile::kDepth - 1) / Tile::kDepth;
  const TilePlace place = tile_place(int(blockIdx.x), (shape.m + Tile::kRows - 1) / Tile::kRows,
                                     (shape.n + Tile::kCols - 1) / Tile::kCols);
  const int row = place.row * Tile::kRows, col = place.col * Tile::kCols;
  if (threadIdx.x == 0) {
    for (int s = 0; s < Tile::kStages; ++s) {
      full[s].open(1);
      empty[s].open(2);
    }
    publish_barriers();
  }
  __syncthreads();

  if (group == 0) {
    give_registers<40>();
    if (threadIdx.x != 0) return;
    for (int step = 0; step < steps; ++step) {
      const int s = step % Tile::kStages, pass = step / Tile::kStages;
      empty[s].wait((pass & 1) ^ 1);
      full[s].arrive_and_expect(Tile::kBytesA + Tile::kBytesB);
      copy_box(ring + s * Tile::kBytesA, a, step * Tile::kDepth, row, full[s]);
      unsigned char* const to = ring_b + s * Tile::kBytesB;
      if (kColumnsTogether) {
        constexpr int kBox = Tile::kDepth * 128;
        for (int i = 0; i < Tile::kCols / 64; ++i)
          copy_box(to + i * kBox, b, col + i * 64, step * Tile::kDepth, full[s]);
      } else {
        copy_box(to, b, step * Tile::kDepth, col, full[s]);
      }
    }
    return;
  }

  take_registers<232>();
  const int half = group - 1, thread = int(threadIdx.x) % kWarpGroup;
  float d[128];
  for (int step = 0; step < steps; ++step) {
    const int s = step % Tile::kStages;
    full[s].wait((step / Tile::kStages) & 1);
    begin_products();
    const unsigned char* const at = ring + s * Tile::kBytesA + half * 64 * 128;
    const unsigned char* const bt = ring_b + s * Tile::kBytesB;
#pragma unroll
    for (int i = 0; i < Tile::kDepth / 16; ++i)
      multiply<T, kColumnsTogether>(
          d, matrix_descriptor(at + i * 32, 16, 1024),
          kColumnsTogether ? matrix_descriptor(bt + i * 16 * 128, Tile::kDepth * 128, 1024)
                           : matrix_descriptor(bt + i * 32, 16, 1024),
          step > 0 || i > 0);
    commit_products();
    // The products of the previous step have been read from their stage.
    wait_for_products<1>();
    if (step > 0 && thread == 0) empty[(step - 1) % Tile::kStages].arrive();
  }
  wait_for_products<0>();

  const int warp = thread / 32, lane = thread % 32;
  const int first_row = row + half * 64 + warp * 16 + lane / 4;
#pragma unroll
  for (int j = 0; j < Tile::kCols / 8; ++j) {
    const int at = col + j * 8 + lane % 4 * 2;
    if (at >= shape.n) continue;
    const float left = bias != nullptr ? to_float(bias[at]) : 0;
    const float right = bias != nullptr ? to_float(bias[at + 1]) : 0;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int r = first_row + 8 * h;
      if (r >= shape.m) continue;
      const Pack<T, 2> pack{
          {from_float<T>(d[4 * j + 2 * h] + left), from_float<T>(d[4 * j + 2 * h + 1] + right)}};
      store<2>(c + std::int64_t(r) * shape.n + at, pack);
    }
  }
#endif
}

}  // namespace plumbline::custom
