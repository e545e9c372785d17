#include "backends/custom/custom_kernels.h"
#include "backends/custom/packs.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // of threads, each with kTile / kTileRows rows of a tile

/// Reads along rows, writes a whole memory sector for each element.
template <class T>
__global__ void naive(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  const std::int64_t col = std::int64_t(blockIdx.x) * kTile + threadIdx.x;
  for (int i = threadIdx.y; i < kTile; i += kTileRows) {
    const std::int64_t row = std::int64_t(blockIdx.y) * kTile + i;
    if (row < rows && col < cols) y[col * rows + row] = x[row * cols + col];
  }
}

/// Through a tile in shared memory, so that both sides are along rows. kPad: elements behind each
/// row of the tile, without which a column of it lies in one bank. kCount: elements in an access.
template <class T, int kCount, int kPad>
__global__ void tiled(const T* x, T* y, std::int64_t rows, std::int64_t cols) {
  constexpr int kSide = kTile * kCount;
  __shared__ T tile[kSide][kSide + kPad];
  const std::int64_t first_row = std::int64_t(blockIdx.y) * kSide;
  const std::int64_t first_col = std::int64_t(blockIdx.x) * kSide;
  const int at = int(threadIdx.x) * kCount;
#pragma unroll
  for (int i = threadIdx.y; i < kSide; i += kTileRows) {
    if (first_row + i >= rows || first_col + at >= cols) continue;
    const auto pack = load<kCount>(x + (first_row + i) * cols + first_col + at);
#pragma unroll
    for (int k = 0; k < kCount; ++k) tile[i][at + k] = pack.values[k];
  }
  __syncthreads();
#pragma unroll
  for (int i = threadIdx.y; i < kSide; i += kTileRows) {
    if (first_col + i >= cols || first_row + at >= rows) continue;
    Pack<T, kCount> pack;
#pragma unroll
    for (int k = 0; k < kCount; ++k) pack.values[k] = tile[at + k][i];
    store<kCount>(y + (first_col + i) * rows + first_row + at, pack);
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

template <int kPad>
void launch_tiled(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    using T = std::remove_pointer_t<decltype(y)>;
    tiled<T, 1, kPad><<<grid_of(rows, cols, kTile), kThreads, 0, call.stream>>>(x, y, rows, cols);
  });
}

/// Accesses of at least four bytes, as wide as a bank.
void launch_wide(const KernelCall& call) {
  with_matrix(call, [&](auto* x, auto* y, std::int64_t rows, std::int64_t cols) {
    using T = std::remove_pointer_t<decltype(y)>;
    constexpr int kCount = sizeof(T) < 4 ? 4 / int(sizeof(T)) : 1;
    if (rows % kCount != 0 || cols % kCount != 0) return launch_tiled<1>(call);
    tiled<T, kCount, 1>
        <<<grid_of(rows, cols, kTile * kCount), kThreads, 0, call.stream>>>(x, y, rows, cols);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("cols"), p.integer("rows")}, p.dtype()}};
}

/// Blocks along a grid's second dimension: CUDA's limit.
std::string refusal(const Problem& p) {
  constexpr std::int64_t kGridMax = 65535;
  return ceil_div(p.integer("rows"), kTile) <= kGridMax
             ? ""
             : "the custom transpose is for up to " + std::to_string(kGridMax * kTile) + " rows";
}

}  // namespace

/// The ladder of Ruetsch & Micikevicius (2009), and a step for types narrower than a bank.
CustomKernels transpose_custom() {
  return {.kernels = {{"wide", launch_wide},
                      {"padded", launch_tiled<1>},
                      {"shared", launch_tiled<0>},
                      {"naive", launch_naive}},
          .outputs = outputs,
          .refusal = refusal};
}

}  // namespace plumbline
