/// Layer and root-mean-square normalisation of rows, forward and backward.
///
/// Centred: layer_norm (Ba et al. 2016), with weight and bias; else rms_norm (Zhang & Sennrich
/// 2019), with weight alone. Backward sums the gradients of weight and bias over the rows of a
/// block first, in a fixed order.
#pragma once

#include "backends/custom/columns.cuh"
#include "backends/custom/rows.cuh"

namespace plumbline::custom {

/// What forward keeps of each row for backward.
struct RowStatistics {
  float* means = nullptr;  // null: not kept
  float* inverse_deviations = nullptr;
};

template <class T, bool kIsCentred>
struct NormForward {
  const T* x;
  const T* weight;  // null: none
  const T* bias;    // null: none
  T* y;             // null: statistics alone
  RowStatistics kept;
  float eps;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, std::int64_t cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, 0);
    float mean = 0;
    if (kIsCentred) mean = group.template reduce<Sum>(v.template reduced<Sum>()) / float(cols);
    float squares = 0;
    v.visit(cols, group,
            [&](float value, std::int64_t) { squares += (value - mean) * (value - mean); });
    const float inverse = rsqrtf(group.template reduce<Sum>(squares) / float(cols) + eps);
    if (kept.means != nullptr && group.lane() == 0) {
      kept.means[row] = mean;
      kept.inverse_deviations[row] = inverse;
    }
    if (y == nullptr) return;
    // Pack by pack: weight and bias would take as many registers as the row.
    v.visit_packs(cols, group, [&](float(&values)[kCount], std::int64_t col) {
      Pack<T, kCount> w, b, out;
      if (weight != nullptr) w = load<kCount>(weight + col);
      if (bias != nullptr) b = load<kCount>(bias + col);
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        float value = (values[i] - mean) * inverse;
        if (weight != nullptr) value *= to_float(w.values[i]);
        if (bias != nullptr) value += to_float(b.values[i]);
        out.values[i] = from_float<T>(value);
      }
      store<kCount>(y + row * cols + col, out);
    });
  }
};

/// Blocks that rows are shared out to in backward, each with sums of its own.
inline constexpr std::int64_t kBackwardBlocks = 264;

template <class T>
struct NormBackward {
  const T* x;
  const T* weight;  // null: none, and no sums
  const T* gradient;
  RowStatistics kept;
  T* dx;
  float* weight_sums;  // a row of cols for each block
  float* bias_sums;    // null: none
};

/// A block's sums into its row of them; where warps have rows, one warp after the other.
template <int kCount, int kFloats>
__device__ void keep_sums(RowValues<kCount, kFloats>& sums, std::int64_t cols,
                          const BlockGroup& group, float* out) {
  sums.visit(cols, group, [&](float value, std::int64_t col) { out[col] = value; });
}
template <int kCount, int kFloats>
__device__ void keep_sums(RowValues<kCount, kFloats>& sums, std::int64_t cols,
                          const WarpGroup& group, float* out) {
  for (int warp = 0; warp < kWarpsPerBlock; ++warp) {
    if (int(threadIdx.x) / kWarp == warp)
      sums.visit(cols, group, [&](float value, std::int64_t col) {
        out[col] = (warp == 0 ? 0 : out[col]) + value;
      });
    __syncthreads();
  }
}

template <class Group, int kCount, int kFloats, bool kIsCentred, class T>
__global__ void __launch_bounds__(Group::kThreadsMax)
    norm_backward(std::int64_t rows, std::int64_t cols, NormBackward<T> body) {
  const Group group;
  RowValues<kCount, kFloats> weight_sums = {}, bias_sums = {};
  for (std::int64_t row = group.first_row(); row < rows; row += group.row_stride()) {
    RowValues<kCount, kFloats> x, g;
    x.load(body.x + row * cols, cols, group, 0);
    g.load(body.gradient + row * cols, cols, group, 0);
    const float mean = body.kept.means[row], inverse = body.kept.inverse_deviations[row];
#pragma unroll
    for (int i = 0; i < kFloats; ++i) {
      x.values[i] = (x.values[i] - mean) * inverse;
      weight_sums.values[i] += g.values[i] * x.values[i];
      bias_sums.values[i] += g.values[i];
    }
    if (body.weight != nullptr)
      g.visit_packs(cols, group, [&](float(&values)[kCount], std::int64_t col) {
        const auto w = load<kCount>(body.weight + col);
#pragma unroll
        for (int i = 0; i < kCount; ++i) values[i] *= to_float(w.values[i]);
      });
    float along = 0, total = 0;
#pragma unroll
    for (int i = 0; i < kFloats; ++i) {
      along += g.values[i] * x.values[i];
      total += g.values[i];
    }
    along = group.template reduce<Sum>(along) / float(cols);
    total = kIsCentred ? group.template reduce<Sum>(total) / float(cols) : 0;
#pragma unroll
    for (int i = 0; i < kFloats; ++i)
      x.values[i] = inverse * (g.values[i] - total - x.values[i] * along);
    x.store(body.dx + row * cols, cols, group);
  }
  if (body.weight == nullptr) return;
  keep_sums(weight_sums, cols, group, body.weight_sums + blockIdx.x * cols);
  if (body.bias_sums != nullptr)
    keep_sums(bias_sums, cols, group, body.bias_sums + blockIdx.x * cols);
}

/// A thread holds two rows and two sums: half as many values as in forward.
inline constexpr int kBackwardFloats = 16;
inline constexpr std::int64_t kBackwardRowMax = kBackwardFloats * 1024;

inline RowShape backward_shape(std::int64_t cols) {
  return row_shape(cols, /*with_8_up_to=*/8 * 1024, /*with_16_up_to=*/kBackwardRowMax);
}

inline std::int64_t backward_blocks(std::int64_t rows, std::int64_t cols) {
  return std::min(row_blocks(backward_shape(cols), rows), kBackwardBlocks);
}

/// Gradients of x, and of weight and bias where there are such.
template <bool kIsCentred, class T>
void launch_norm_backward(std::int64_t rows, std::int64_t cols, const NormBackward<T>& body,
                          T* weight_gradient, T* bias_gradient, cudaStream_t stream) {
  const RowShape shape = backward_shape(cols);
  const std::int64_t blocks = backward_blocks(rows, cols);
  by_row_form<T, kBackwardFloats>(shape, cols, [&](auto group, auto count, auto floats) {
    norm_backward<decltype(group), count(), floats(), kIsCentred>
        <<<unsigned(blocks), unsigned(shape.threads), 0, stream>>>(rows, cols, body);
  });
  if (body.weight == nullptr) return;
  launch_sum_partials(body.weight_sums, blocks, cols, weight_gradient, stream);
  if (body.bias_sums != nullptr)
    launch_sum_partials(body.bias_sums, blocks, cols, bias_gradient, stream);
}

}  // namespace plumbline::custom
