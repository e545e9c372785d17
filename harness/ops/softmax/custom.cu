#include "backends/custom/custom_kernels.h"
#include "backends/custom/rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

template <class T>
struct Softmax {
  const T* x;
  T* y;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, std::int64_t cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, Maximum::kNeutral);
    const float largest = group.template reduce<Maximum>(v.template reduced<Maximum>());
    float sum = 0;
    v.visit(cols, group, [&](float& value, std::int64_t) {
      value = __expf(value - largest);
      sum += value;
    });
    const float inverse = 1 / group.template reduce<Sum>(sum);
#pragma unroll
    for (float& value : v.values) value *= inverse;
    v.store(y + row * cols, cols, group);
  }
};

/// dx = y (dy - sum over the row of y dy).
template <class T>
struct SoftmaxBackward {
  const T *y, *gradient;
  T* dx;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, std::int64_t cols, const Group& group) const {
    RowValues<kCount, kFloats> p, g;
    p.load(y + row * cols, cols, group, 0);
    g.load(gradient + row * cols, cols, group, 0);
    float along = 0;
#pragma unroll
    for (int i = 0; i < kFloats; ++i) along += p.values[i] * g.values[i];
    along = group.template reduce<Sum>(along);
#pragma unroll
    for (int i = 0; i < kFloats; ++i) p.values[i] *= g.values[i] - along;
    p.store(dx + row * cols, cols, group);
  }
};

void forward_into(const KernelCall& call, void* y) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    launch_each_row<T>(call.problem.integer("rows"), call.problem.integer("cols"),
                       Softmax<T>{static_cast<const T*>(call.inputs[0]), static_cast<T*>(y)},
                       call.stream);
  });
}

/// What backward reads of the forward.
void before(const KernelCall& call) {
  if (call.problem.is_backward()) forward_into(call, call.scratch[0]);
}

void launch(const KernelCall& call) {
  if (!call.problem.is_backward()) return forward_into(call, call.outputs[0]);
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    const SoftmaxBackward<T> body{static_cast<const T*>(call.scratch[0]),
                                  static_cast<const T*>(call.inputs[1]),
                                  static_cast<T*>(call.outputs[0])};
    // Of two rows a thread has as many values as forward's of one.
    const RowShape shape = has_wide_packs<T>(cols) ? row_shape(cols, 0) : row_shape(cols);
    launch_each_row<T>(rows, cols, shape, body, call.stream);
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  return {{{p.integer("rows"), p.integer("cols")}, p.dtype()}};
}

std::vector<KernelOutput> scratch(const Problem& p) {
  return p.is_backward() ? outputs(p) : std::vector<KernelOutput>{};
}

}  // namespace

CustomKernels softmax_custom() {
  return {.kernels = {{"row_in_registers", launch}},
          .outputs = outputs,
          .scratch = scratch,
          .before = before};
}

}  // namespace plumbline
