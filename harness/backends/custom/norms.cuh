/// Layer and root-mean-square normalisation of rows; backward is in norm_backward.cuh.
///
/// Centred: layer_norm (Ba et al. 2016), with weight and bias; else rms_norm (Zhang & Sennrich
/// 2019), with weight alone.
#pragma once

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
    const float share = 1 / float(cols);
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, 0);
    float mean = 0;
    if (kIsCentred) mean = group.template reduce<Sum>(v.template reduced<Sum>()) * share;
    float squares = 0;
    v.visit(cols, group,
            [&](float value, std::int64_t) { squares += (value - mean) * (value - mean); });
    const float inverse = rsqrtf(group.template reduce<Sum>(squares) * share + eps);
    if (kept.means != nullptr && group.lane() == 0) {
      kept.means[row] = mean;
      kept.inverse_deviations[row] = inverse;
    }
    if (y == nullptr) return;
    // Pack by pack: weight and bias would take as many registers as the row.
    v.visit_packs(cols, group, [&](float(&values)[kCount], std::int64_t col) {
      const auto scale = load_or<kCount>(weight, col, 1);
      const auto offset = load_or<kCount>(kIsCentred ? bias : nullptr, col, 0);
      Pack<T, kCount> out;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        float value = (values[i] - mean) * inverse * to_float(scale.values[i]);
        if (kIsCentred) value += to_float(offset.values[i]);
        out.values[i] = from_float<T>(value);
      }
      store<kCount>(y + row * cols + col, out);
    });
  }

 private:
  /// A pack of `fill` where there is no vector: to branch about it costs more than to compute.
  template <int kCount>
  static __device__ Pack<T, kCount> load_or(const T* vector, std::int64_t col, float fill) {
    if (vector != nullptr) return load<kCount>(vector + col);
    Pack<T, kCount> pack;
#pragma unroll
    for (T& element : pack.values) element = from_float<T>(fill);
    return pack;
  }
};

}  // namespace plumbline::custom
