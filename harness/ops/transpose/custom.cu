#include "backends/custom/custom_kernels.h"
#include "backends/custom/packs.cuh"
#include "backends/problem.h"
#include "core/run/row_limits.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kTile = 32;
static_assert(kCustomTransposeRowsMax == std::int64_t{65535} * kTile, "a grid's y");
constexpr int kTileRows = 8;  // of threads; each thread has kTile / kTileRows rows of a tile

/// Reads along rows and writes down columns: a memory sector for each written element.
template <class T>
__global__ void naive(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t col = std::int64_t(blockIdx.x) * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    const std::int64_t row = std::int64_t(blockIdx.y) * kTile + i;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
  }
}

/// The other way round: writes along rows and reads down columns. Caches may keep the part of a
/// read sector that is needed later; writes have no such help.
template <class T>
__global__ void coalesced(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t row = std::int64_t(blockIdx.y) * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    const std::int64_t col = std::int64_t(blockIdx.x) * kTile + i;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
  }
}

/// Goes through a tile in shared memory, so that both sides are along rows. kPad: elements after
/// each row of the tile; without them, a column of the tile lies in one bank.
template <class T, int kPad>
__global__ void tiled(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  __shared__ T tile[kTile][kTile + kPad];
  const std::int64_t first_row = std::int64_t(blockIdx.y) * kTile;
  const std::int64_t first_col = std::int64_t(blockIdx.x) * kTile;
  const int at = int(threadIdx.x);
#pragma unroll
  for (int i = threadIdx.y; i < kTile; i += kTileRows)
    if (first_row + i < rows && first_col + at < cols)
      tile[i][at] = x[(first_row + i) * cols + first_col + at];
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < kTile; i += kTileRows)
    if (first_col + i < cols && first_row + at < rows)
      y[(first_col + i) * rows + first_row + at] = tile[at][i];
}

/// Squares with sides of one pack are transposed in a thread's registers, so that the tile is also
/// written and read in packs of 16 bytes. A tile has kAcross squares across and the block's other
/// squares down. Tiles go down column by column, so that blocks that run together write the same
/// rows of y.
constexpr int kWideThreads = 256;

template <class T, int kAcross>
__global__ void __launch_bounds__(kWideThreads)
    wide(const T* x, T* y, std::int64_t rows, std::int64_t cols, unsigned tiles_down) {
  constexpr int kCount = kPackOf<T>, kDown = kWideThreads / kAcross;
  constexpr int kPhase = kDown < 8 ? kDown : 8;  // threads whose packs fill the banks once: 8
  __shared__ Pack<T, kCount> tile[kAcross * kCount][kDown];
  const std::int64_t first_row = std::int64_t(blockIdx.x % tiles_down) * kDown * kCount;
  const std::int64_t first_col = std::int64_t(blockIdx.x / tiles_down) * kAcross * kCount;
  // Place of the tile row's pack `pack`, which is a column of x: threads of a phase use different
  // banks.
  const auto place = [](int row, int pack) { return pack ^ (row / kCount % kPhase); };

  const int across = int(threadIdx.x) % kAcross, down = int(threadIdx.x) / kAcross;
  if (const std::int64_t row = first_row + down * kCount, col = first_col + across * kCount;
      row < rows && col < cols) {
    Pack<T, kCount> in[kCount];
#pragma unroll
    for (int i = 0; i < kCount; ++i) in[i] = load<kCount>(x + (row + i) * cols + col);
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      Pack<T, kCount> turned;
#pragma unroll
      for (int i = 0; i < kCount; ++i) turned.values[i] = in[i].values[j];
      tile[across * kCount + j][place(across * kCount, down)] = turned;
    }
  }
  __syncthreads();
  const int pack = int(threadIdx.x) % kDown, first = int(threadIdx.x) / kDown;
  const std::int64_t row = first_row + pack * kCount;
  if (row >= rows) return;
#pragma unroll
  for (int j = 0; j < kCount; ++j) {
    const int i = first + j * kAcross;
    if (first_col + i < cols) store(y + (first_col + i) * rows + row, tile[i][place(i, pack)]);
  }
}

dim3 grid_of(std::int64_t rows, std::int64_t cols, int side) {
  return dim3(unsigned(ceil_div(cols, side)), unsigned(ceil_div(rows, side)));
}

/// Calls body(x, y, rows, cols) with pointers of the problem's type.
template <class Body>
void with_matrix(const KernelCall& call, const Body& body) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    body(static_cast<const T*>(call.inputs[0]), static_cast<T*>(call.outputs[0]),
         call.problem.integer("rows"), call.problem.integer("cols"));
  });
}

constexpr dim3 kThreads(kTile, kTileRows);

void launch_naive(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    naive<<<grid_of(rows, cols, kTile), kThreads, 0, call.stream>>>(x, y, rows, cols);
  });
}

void launch_coalesced(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    coalesced<<<grid_of(rows, cols, kTile), kThreads, 0, call.stream>>>(x, y, rows, cols);
  });
}

template <int kPad>
void launch_tiled(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    using T = std::remove_pointer_t<decltype(y)>;
    tiled<T, kPad><<<grid_of(rows, cols, kTile), kThreads, 0, call.stream>>>(x, y, rows, cols);
  });
}

template <int kAcross, class T>
void launch_wide_tiles(const T* x, T* y, std::int64_t rows, std::int64_t cols,
                       cudaStream_t stream) {
  const std::int64_t across = ceil_div(cols, kAcross * kPackOf<T>);
  const std::int64_t down = ceil_div(rows, kWideThreads / kAcross * kPackOf<T>);
  wide<T, kAcross>
      <<<unsigned(across * down), kWideThreads, 0, stream>>>(x, y, rows, cols, unsigned(down));
}

/// Only for whole packs; others take the kernel before it. Tiles are as narrow or as flat as the
/// matrix.
void launch_wide(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    using T = std::remove_pointer_t<decltype(y)>;
    if (rows % kPackOf<T> != 0 || cols % kPackOf<T> != 0) return launch_tiled<1>(call);
    if (cols <= 2 * kPackOf<T>) return launch_wide_tiles<2>(x, y, rows, cols, call.stream);
    if (cols <= 4 * kPackOf<T>) return launch_wide_tiles<4>(x, y, rows, cols, call.stream);
    if (rows <= 2 * kPackOf<T>) return launch_wide_tiles<128>(x, y, rows, cols, call.stream);
    if (rows <= 4 * kPackOf<T>) return launch_wide_tiles<64>(x, y, rows, cols, call.stream);
    launch_wide_tiles<16>(x, y, rows, cols, call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("cols"), p.integer("rows")}, p.dtype()}};
}

}  // namespace

/// The steps of Ruetsch & Micikevicius (2009), and one more with packs and registers.
CustomKernels transpose_custom() {
  return {.kernels = {{"wide", launch_wide},
                      {"padded", launch_tiled<1>},
                      {"shared", launch_tiled<0>},
                      {"coalesced", launch_coalesced},
                      {"naive", launch_naive}},
          .outputs = outputs};
}

}  // namespace plumbline
