#include <algorithm>
#include <bit>

#include "backends/custom/columns.cuh"
#include "backends/custom/custom_kernels.h"
#include "backends/custom/gelu.cuh"
#include "backends/custom/packs.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kThreads = 128;
/// Minimum of blocks: a thread has 56 registers for four rows, 40 for two.
template <int kRows>
constexpr int kBlocksPerMultiprocessor = kRows > 2 ? 9 : 12;
constexpr std::int64_t kGridRowsMax = 65535;

/// y = gelu(x + bias). A thread keeps its columns: it loads their bias once for kRows rows, and
/// issues all loads before its first store. Loading the bias with every pack, an H200 reached 0.90
/// of its copy bandwidth; this way 0.95 to 1.
template <int kCount, int kRows, bool kIsTanh, class T>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor<kRows>)
    bias_gelu(std::int64_t rows, std::int64_t cols, const T* x, const T* bias, T* y) {
  const std::int64_t col = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) * kCount;
  if (col >= cols) return;
  const std::int64_t first = std::int64_t(blockIdx.y) * blockDim.y + threadIdx.y;
  const std::int64_t step = std::int64_t(gridDim.y) * blockDim.y * cols;
  const std::int64_t last = (rows - 1) * cols + col;
  for (std::int64_t at = first * cols + col; at <= last; at += kRows * step) {
    Pack<T, kCount> packs[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r)  // without a branch that delays loads: repeats the last row
      packs[r] = load<kCount>(x + min(at + r * step, last));
    float offset[kCount];
    to_floats(load<kCount>(bias + col), offset);
#pragma unroll
    for (int r = 0; r < kRows; ++r)
      if (at + r * step <= last) {
        float values[kCount];
        to_floats(packs[r], values);
#pragma unroll
        for (int i = 0; i < kCount; ++i) values[i] = gelu<T, kIsTanh>(values[i] + offset[i]);
        store<kCount>(y + at + r * step, from_floats<T>(values));
      }
  }
}

/// For narrow matrices, a block is several rows tall.
template <int kCount, bool kIsTanh, class T>
void launch_forward(std::int64_t rows, std::int64_t cols, const T* x, const T* bias, T* y,
                    cudaStream_t stream) {
  constexpr int kRows = kIsTanh ? 2 : 4;  // the better of the two by 1 to 3 %
  const std::int64_t packs = cols / kCount;
  const auto across =
      unsigned(std::min<std::uint64_t>(kThreads, std::bit_ceil(std::uint64_t(packs))));
  const dim3 threads(across, kThreads / across);
  const dim3 blocks(unsigned(ceil_div(packs, across)),
                    unsigned(std::min(kGridRowsMax, ceil_div(rows, kRows * threads.y))));
  bias_gelu<kCount, kRows, kIsTanh><<<blocks, threads, 0, stream>>>(rows, cols, x, bias, y);
}

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> x, bias, gradient;
};

/// dx = gradient * gelu'(x + bias), and its sums over the rows.
template <class T, bool kIsTanh>
struct BiasGeluBackward {
  const T *x, *bias, *gradient;
  T* dx;
  std::int64_t cols;

  template <int kCount>
  __device__ Terms<T, kCount> load(std::int64_t row, std::int64_t col) const {
    const std::int64_t first = row * cols + col;
    return {custom::load<kCount>(x + first), custom::load<kCount>(bias + col),
            custom::load<kCount>(gradient + first)};
  }
  template <int kCount>
  __device__ void add(const Terms<T, kCount>& terms, std::int64_t row, std::int64_t col,
                      float (&sums)[kCount]) const {
    float x_of[kCount], bias_of[kCount], slope[kCount];
    to_floats(terms.x, x_of);
    to_floats(terms.bias, bias_of);
    to_floats(terms.gradient, slope);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      slope[i] *= gelu_slope<T, kIsTanh>(x_of[i] + bias_of[i]);
      sums[i] += slope[i];
    }
    store<kCount>(dx + row * cols + col, from_floats<T>(slope));
  }
};

/// The best of 1, 2 and 4 rows at once: with four, fewer threads fit.
constexpr int kBackwardRows = 2;

template <class T, bool kIsTanh>
void launch_as(const KernelCall& call) {
  const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
  const auto* x = static_cast<const T*>(call.inputs[0]);
  const auto* bias = static_cast<const T*>(call.inputs[1]);
  auto* result = static_cast<T*>(call.outputs[0]);
  if (call.problem.is_backward())
    return launch_each_column<kBackwardRows>(
        rows, cols,
        BiasGeluBackward<T, kIsTanh>{x, bias, static_cast<const T*>(call.inputs[2]), result, cols},
        static_cast<float*>(call.scratch[0]), static_cast<T*>(call.outputs[1]), call.stream);
  if (cols % kPackOf<T> == 0)
    launch_forward<kPackOf<T>, kIsTanh>(rows, cols, x, bias, result, call.stream);
  else
    launch_forward<1, kIsTanh>(rows, cols, x, bias, result, call.stream);
}

void launch(const KernelCall& call) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    call.problem.text("approximate") == "tanh" ? launch_as<T, true>(call)
                                               : launch_as<T, false>(call);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  std::vector<KernelOutput> all{{{p.integer("rows"), p.integer("cols")}, p.dtype()}};
  if (p.is_backward()) all.push_back({{p.integer("cols")}, p.dtype()});
  return all;
}

std::vector<KernelOutput> scratch(const Problem& p) {
  if (!p.is_backward()) return {};
  const std::int64_t rows = p.integer("rows"), cols = p.integer("cols");
  return {{{partial_rows_max(rows, cols), cols}, DType::float32}};
}

}  // namespace

CustomKernels bias_gelu_custom() {
  return {.kernels = {{"fused", launch}}, .outputs = outputs, .scratch = scratch};
}

}  // namespace plumbline
