#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

/// Packs lie within a row, whose length is a multiple of theirs. A scale of the whole tensor is
/// like the scale of a single row.
template <class T>
struct Dequantize {
  const std::int8_t* q;
  const float* scales;
  T* y;
  std::int64_t cols;

  template <int kCount>
  struct Terms {
    Pack<std::int8_t, kCount> q;
    float scale;
  };

  template <int kCount>
  __device__ Terms<kCount> load(std::int64_t first) const {
    return {custom::load<kCount>(q + first), scales[row_of<kCount>(first)]};
  }
  /// There are few enough packs for a 32-bit division, which takes a fifth of the instructions.
  template <int kCount>
  __device__ std::int64_t row_of(std::int64_t first) const {
    if (kCount == 1) return first / cols;
    return std::uint32_t(first / kCount) / std::uint32_t(cols / kCount);
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<kCount>& terms) const {
    Pack<T, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      out.values[i] = from_float<T>(to_float(terms.q.values[i]) * terms.scale);
    custom::store<kCount>(y + first, out);
  }
};

void launch(const KernelCall& call) {
  const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
  const std::int64_t shared = call.problem.text("scale") == "row" ? cols : rows * cols;
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const Dequantize<T> body{static_cast<const std::int8_t*>(call.inputs[0]),
                             static_cast<const float*>(call.inputs[1]),
                             static_cast<T*>(call.outputs[0]), shared};
    if (shared % kPackOf<T> == 0)
      launch_each_element<kPackOf<T>, 2>(rows * cols, body, call.stream);
    else
      launch_each_element<1, 4>(rows * cols, body, call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("rows"), p.integer("cols")}, p.dtype()}};
}

}  // namespace

CustomKernels dequantize_int8_custom() {
  return {.kernels = {{"packed", launch}}, .outputs = outputs};
}

}  // namespace plumbline
