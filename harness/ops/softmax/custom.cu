#include <algorithm>
#include <cmath>

#include "backends/custom/custom_kernels.h"
#include "backends/custom/fast_math.cuh"
#include "backends/custom/launches.cuh"
#include "backends/custom/long_rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kLongThreads = 1024;

template <class T>
struct Softmax {
  using TakesRagged = void;
  const T* x;
  T* y;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, int cols, const Group& group) const {
    RowValues<kCount, kFloats> v;
    v.load(x + row * cols, cols, group, -INFINITY);
    const float largest = group.template reduce<Maximum>(v.template reduced<Maximum>());
    float sum = 0;
#pragma unroll
    for (float& value : v.values) {  // 0 beyond the row
      value = fast_exp2((value - largest) * kLog2E);
      sum += value;
    }
    const float inverse = fast_inverse(group.template reduce<Sum>(sum));
#pragma unroll
    for (float& value : v.values) value *= inverse;
    v.store(y + row * cols, cols, group);
  }
};

/// dx = y (dy - sum over the row of y dy).
template <class T>
struct SoftmaxBackward {
  using TakesRagged = void;
  const T *y, *gradient;
  T* dx;

  template <int kCount, int kFloats, class Group>
  __device__ void row(std::int64_t row, int cols, const Group& group) const {
    RowValues<kCount, kFloats> p, g;
    RowValues<kCount, kFloats>::load_both(p, y + row * cols, g, gradient + row * cols, cols, group,
                                          0);
    float along = 0;
#pragma unroll
    for (int i = 0; i < kFloats; ++i) along += p.values[i] * g.values[i];
    along = group.template reduce<Sum>(along);
#pragma unroll
    for (int i = 0; i < kFloats; ++i) p.values[i] *= g.values[i] - along;
    p.store(dx + row * cols, cols, group);
  }
};

/// For rows that do not fit in registers. Packs that do not fit in shared memory either are read
/// twice. kept: packs of a row.
template <class T>
__global__ void __launch_bounds__(kLongThreads) long_forward(const T* x, T* y, int cols, int kept) {
  extern __shared__ uint4 shared[];
  const KeptPacks<T> of_x{reinterpret_cast<Pack<T, kPackOf<T>>*>(shared), kept};
  const PeeledRow<T, kLongThreads> row(x, cols);
  OnlineSum online;
  row.visit([&](const auto& pack, int column) {
    of_x.put(pack, column);
    online.add(pack);
  });
  const BlockGroup group;
  const float largest = group.reduce<Maximum>(online.largest);
  const float inverse = 1 / group.reduce<Sum>(online.sum * __expf(online.largest - largest));
  T* const out = y + std::int64_t(blockIdx.x) * cols;
  row.visit_again(of_x, [&]<int kCount>(Pack<T, kCount> pack, int column) {
#pragma unroll
    for (T& value : pack.values) value = from_float<T>(__expf(to_float(value) - largest) * inverse);
    store<kCount>(out + column, pack);
  });
}

template <class T>
__global__ void __launch_bounds__(kLongThreads)
    long_backward(const T* y, const T* gradient, T* dx, int cols, int kept) {
  extern __shared__ uint4 shared[];
  const KeptPacks<T> of_y{reinterpret_cast<Pack<T, kPackOf<T>>*>(shared), kept};
  const KeptPacks<T> of_gradient{of_y.packs + kept, kept};
  const std::int64_t start = std::int64_t(blockIdx.x) * cols;
  const PeeledRow<T, kLongThreads> row(y, cols);
  float along = 0;
  row.visit([&]<int kCount>(const Pack<T, kCount>& pack, int column) {
    const auto slope = load<kCount>(gradient + start + column);
    of_y.put(pack, column);
    of_gradient.put(slope, column);
#pragma unroll
    for (int i = 0; i < kCount; ++i) along += to_float(pack.values[i]) * to_float(slope.values[i]);
  });
  along = BlockGroup().reduce<Sum>(along);
  row.visit_again(of_y, [&]<int kCount>(Pack<T, kCount> pack, int column) {
    const auto slope = of_gradient.template get<kCount>(gradient + start, column);
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      pack.values[i] =
          from_float<T>(to_float(pack.values[i]) * (to_float(slope.values[i]) - along));
    store<kCount>(dx + start + column, pack);
  });
}

/// How much of `arrays` rows of cols elements a block can keep, in bytes.
template <class T>
std::int64_t kept_bytes(std::int64_t cols, int arrays) {
  constexpr std::int64_t kOfReductions = 2048;
  const std::int64_t most =
      device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - kOfReductions;
  return std::min(cols * std::int64_t(sizeof(T)), most / arrays) / 16 * 16 * arrays;
}

/// Launches kernel(arguments…, cols, kept), which keeps packs of `arrays` rows.
template <class T, class Kernel, class... Arguments>
void launch_long(Kernel* kernel, int arrays, const KernelCall& call, Arguments... arguments) {
  const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
  const std::int64_t bytes = kept_bytes<T>(cols, arrays);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
  kernel<<<unsigned(rows), kLongThreads, std::size_t(bytes), call.stream>>>(
      arguments..., int(cols), int(bytes / 16 / arrays));
}

void forward_into(const KernelCall& call, void* to) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    const auto* x = static_cast<const T*>(call.inputs[0]);
    auto* y = static_cast<T*>(to);
    const std::int64_t room = room_of<T>(cols);
    if (room > kRowMax)
      launch_long<T>(long_forward<T>, 1, call, x, y);
    else
      launch_each_row<T>(rows, cols, row_shape_of<T>(room), Softmax<T>{x, y}, call.stream);
  });
}

/// Computes the forward results that backward reads.
void before(const KernelCall& call) {
  if (call.problem.is_backward()) forward_into(call, call.scratch[0]);
}

void launch(const KernelCall& call) {
  if (!call.problem.is_backward()) return forward_into(call, call.outputs[0]);
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const std::int64_t rows = call.problem.integer("rows"), cols = call.problem.integer("cols");
    const auto *y = static_cast<const T*>(call.scratch[0]),
               *gradient = static_cast<const T*>(call.inputs[1]);
    auto* dx = static_cast<T*>(call.outputs[0]);
    const std::int64_t room = room_of<T>(cols);
    if (room > kRowMax) return launch_long<T>(long_backward<T>, 2, call, y, gradient, dx);
    // With two rows, a thread holds as many values as in forward with one row.
    const RowShape shape = has_wide_packs<T>(room) ? row_shape(room, 0) : row_shape(room);
    launch_each_row<T>(rows, cols, shape, SoftmaxBackward<T>{y, gradient, dx}, call.stream);
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
