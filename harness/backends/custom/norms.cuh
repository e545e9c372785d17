/// Layer and root-mean-square normalisation of rows; norm_backward.cuh has the backward direction.
///
/// Centred: layer_norm (Ba et al. 2016), with weight and bias. Not centred: rms_norm (Zhang &
/// Sennrich 2019), with weight only.
#pragma once

#include "backends/custom/rows.cuh"

namespace plumbline::custom {

/// What forward keeps of each row for backward.
struct RowStatistics {
  float* means = nullptr;  // null: not kept
  float* inverse_deviations = nullptr;
};

/// The mean of a row's elements, and the sum of their squared distances from it.
struct Moments {
  float mean, squares;
};

template <class Values, int kLanes>
__device__ Moments moments(Values& v, int cols, const LaneGroup<kLanes>& group) {
  const float mean = group.template reduce<Sum>(v.template reduced<Sum>()) * (1 / float(cols));
  return {mean, group.template reduce<Sum>(v.squares_about(mean, cols, group))};
}

/// Computes each warp's moments first, so that the block synchronises once, not twice for the mean
/// and then the squares (Chan, Golub & LeVeque 1983).
template <class Values>
__device__ Moments moments(Values& v, int cols, const BlockGroup& group) {
  const auto count = [&](int warp) { return Values::elements_in(warp, cols, group); };
  const float of_warp = over_warp<Sum>(v.template reduced<Sum>());
  const float center = __fdividef(of_warp, fmaxf(count(group.warp()), 1));
  const float about = over_warp<Sum>(v.squares_about(center, cols, group));
  const float2 other = group.exchange(make_float2(of_warp, about));
  const float mean = over_warp<Sum>(other.x) * (1 / float(cols));
  const float size = count(group.lane() % kWarp);
  const float apart = size > 0 ? __fdividef(other.x, size) - mean : 0;
  return {mean, over_warp<Sum>(other.y + size * apart * apart)};
}

template <class T, bool kIsCentred, bool kIsAffine>
struct NormForward {
  const T* x;
  const T* weight;  // null if not affine
  const T* bias;    // null if not affine or not centred
  T* y;             // null: only statistics
  RowStatistics kept;
  float eps;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, int cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, 0);
    Moments of_row{0, 0};
    if constexpr (kIsCentred)
      of_row = moments(v, cols, group);
    else
      of_row.squares = group.template reduce<Sum>(v.squares_about(0, cols, group));
    const float inverse = rsqrtf(of_row.squares * (1 / float(cols)) + eps);
    if (kept.means != nullptr && group.lane() == 0) {
      kept.means[row] = of_row.mean;
      kept.inverse_deviations[row] = inverse;
    }
    if (y == nullptr) return;
    // Pack by pack: weight and bias together would need as many registers as the row.
    v.visit_packs(cols, group, [&](float(&values)[kCount], int col) {
      float scale[kCount], offset[kCount];
      if (kIsAffine) to_floats(load<kCount>(weight + col), scale);
      if (kIsAffine && kIsCentred) to_floats(load<kCount>(bias + col), offset);
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        values[i] = (values[i] - of_row.mean) * inverse;
        if (kIsAffine) values[i] *= scale[i];
        if (kIsAffine && kIsCentred) values[i] += offset[i];
      }
      store<kCount>(y + row * cols + col, from_floats<T>(values));
    });
  }
};

}  // namespace plumbline::custom
