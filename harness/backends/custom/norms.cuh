/// Layer and root-mean-square normalisation of rows; backward is in norm_backward.cuh.
///
/// Centred: layer_norm (Ba et al. 2016), with weight and bias; else rms_norm (Zhang & Sennrich
/// 2019), with weight alone.
#pragma once

#include "backends/custom/rows_ahead.cuh"

namespace plumbline::custom {

/// What forward keeps of each row for backward.
struct RowStatistics {
  float* means = nullptr;  // null: not kept
  float* inverse_deviations = nullptr;
};

template <class T, int kCount>
struct Affine {
  Pack<T, kCount> weight, bias;  // anything where there is none
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
    // Pack by pack: weight and bias would take as many registers as the row.
    write<kCount>(row, cols, group, v,
                  [&](std::int64_t col, int) { return affine_at<kCount>(col); });
  }

  /// A thread's packs of weight and bias.
  template <class Form>
  struct Held {
    Affine<T, Form::kCount> packs[Form::kPacks];
  };
  template <class Form>
  __device__ Held<Form> hold(int cols) const {
    Held<Form> held;
#pragma unroll
    for (int p = 0; p < Form::kPacks; ++p)
      if (Form::column(p) < cols) held.packs[p] = affine_at<Form::kCount>(Form::column(p));
    return held;
  }
  template <class Form>
  __device__ void row_ahead(std::int64_t row, int cols, const BlockGroup& group,
                            const Pack<T, Form::kCount> (&packs)[Form::kPacks],
                            const Held<Form>& held) const {
    RowValues<Form::kCount, Form::kFloats> v;
    v.take(packs);
    write<Form::kCount>(row, cols, group, v, [&](std::int64_t, int p) { return held.packs[p]; });
  }

 private:
  template <int kCount>
  __device__ Affine<T, kCount> affine_at(std::int64_t col) const {
    Affine<T, kCount> affine;
    if (weight != nullptr) affine.weight = load<kCount>(weight + col);
    if (bias != nullptr) affine.bias = load<kCount>(bias + col);
    return affine;
  }

  /// `affine_of`: of a pack, by its column and its number.
  template <int kCount, class Values, class Group, class AffineOf>
  __device__ void write(std::int64_t row, std::int64_t cols, const Group& group, Values& v,
                        const AffineOf& affine_of) const {
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
    v.visit_packs(cols, group, [&](float(&values)[kCount], std::int64_t col, int p) {
      const Affine<T, kCount> affine = affine_of(col, p);
      Pack<T, kCount> out;
#pragma unroll
      for (int i = 0; i < kCount; ++i) {
        float value = (values[i] - mean) * inverse;
        if (weight != nullptr) value *= to_float(affine.weight.values[i]);
        if (bias != nullptr) value += to_float(affine.bias.values[i]);
        out.values[i] = from_float<T>(value);
      }
      store<kCount>(y + row * cols + col, out);
    });
  }
};

/// Packs of x in a thread where rows come ahead.
inline constexpr int kNormPacks = 2;

template <class T, bool kIsCentred>
void launch_norm(std::int64_t rows, std::int64_t cols, const NormForward<T, kIsCentred>& body,
                 cudaStream_t stream) {
  if (goes_ahead<T, kNormPacks>(cols))
    launch_each_row_ahead<kNormPacks>(rows, cols, body.x, body, stream);
  else
    launch_each_row<T>(rows, cols, body, stream);
}

}  // namespace plumbline::custom
