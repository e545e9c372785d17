#include "backends/custom/columns.cuh"
#include "backends/custom/custom_kernels.h"
#include "backends/custom/elements.cuh"
#include "backends/custom/gelu.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

template <class T, int kCount>
struct Terms {
  Pack<T, kCount> x, bias;
};

/// y = gelu(x + bias): packs lie within a row, whose length is a multiple of theirs.
template <class T, bool kIsTanh>
struct BiasGelu {
  const T *x, *bias;
  T* y;
  unsigned cols;

  template <int kCount>
  __device__ Terms<T, kCount> load(std::int64_t first) const {
    return {custom::load<kCount>(x + first), custom::load<kCount>(bias + first % cols)};
  }
  template <int kCount>
  __device__ void store(std::int64_t first, const Terms<T, kCount>& terms) const {
    Pack<T, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      out.values[i] = from_float<T>(
          gelu<kIsTanh>(to_float(terms.x.values[i]) + to_float(terms.bias.values[i])));
    custom::store<kCount>(y + first, out);
  }
};

/// dx = gradient * gelu'(x + bias), and its sums over the rows.
template <class T, bool kIsTanh>
struct BiasGeluBackward {
  const T *x, *bias, *gradient;
  T* dx;
  std::int64_t cols;

  template <int kCount>
  __device__ void add(std::int64_t row, std::int64_t col, float (&sums)[kCount]) const {
    const std::int64_t first = row * cols + col;
    const auto at = custom::load<kCount>(x + first), of = custom::load<kCount>(gradient + first);
    const auto offset = custom::load<kCount>(bias + col);
    Pack<T, kCount> out;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      const float value = to_float(at.values[i]) + to_float(offset.values[i]);
      const float slope = to_float(of.values[i]) * gelu_slope<kIsTanh>(value);
      out.values[i] = from_float<T>(slope);
      sums[i] += slope;
    }
    custom::store<kCount>(dx + first, out);
  }
};

template <class T, bool kIsTanh>
void launch_as(const KernelCall& call) {
  const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
  const auto* x = static_cast<const T*>(call.inputs[0]);
  const auto* bias = static_cast<const T*>(call.inputs[1]);
  auto* result = static_cast<T*>(call.outputs[0]);
  if (call.problem.is_backward())
    return launch_each_column(
        rows, cols,
        BiasGeluBackward<T, kIsTanh>{x, bias, static_cast<const T*>(call.inputs[2]), result, cols},
        static_cast<float*>(call.scratch[0]), static_cast<T*>(call.outputs[1]), call.stream);
  const BiasGelu<T, kIsTanh> body{x, bias, result, unsigned(cols)};
  if (cols % kPackOf<T> == 0)
    launch_each_element<kPackOf<T>, 1>(rows * cols, body, call.stream);
  else
    launch_each_element<1, 4>(rows * cols, body, call.stream);
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
