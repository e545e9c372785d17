#include "backends/custom/custom_kernels.h"
#include "backends/custom/long_rows.cuh"
#include "backends/problem.h"

namespace plumbline {
namespace {

using namespace custom;

constexpr int kThreads = 512;
// Per row (H200): forward has no stores to wait for.
constexpr int kForwardThreads = 256, kBackwardThreads = 1024;

/// Log of the sum of exponentials of each row, one block per row. Also the losses if requested.
template <class T>
__global__ void __launch_bounds__(kForwardThreads)
    log_sums(const T* logits, const std::int64_t* target, int classes, float* logs, float* losses) {
  const BlockGroup group;
  OnlineSum online;
  PeeledRow<T, kForwardThreads>(logits, classes).visit([&](const auto& pack, int) {
    online.add(pack);
  });
  const float largest = group.reduce<Maximum>(online.largest);
  const float sum = group.reduce<Sum>(online.sum * __expf(online.largest - largest));
  if (threadIdx.x != 0) return;
  const float log_sum = logf(sum) + largest;
  if (logs != nullptr) logs[blockIdx.x] = log_sum;
  if (losses == nullptr) return;
  const std::int64_t at = std::int64_t(blockIdx.x) * classes + target[blockIdx.x];
  losses[blockIdx.x] = log_sum - to_float(logits[at]);
}

template <class T>
__global__ void rounded(const float* losses, std::int64_t rows, T* out) {
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) out[row] = from_float<T>(losses[row]);
}

/// Runs in one block.
template <class T>
__global__ void __launch_bounds__(kThreads)
    mean_of(const float* losses, std::int64_t rows, T* out) {
  float sum = 0;
  for (std::int64_t row = threadIdx.x; row < rows; row += kThreads) sum += losses[row];
  sum = BlockGroup().reduce<Sum>(sum);
  if (threadIdx.x == 0) *out = from_float<T>(sum / float(rows));
}

/// dx = (softmax - the target's indicator) * gradient, one block per row.
template <class T>
__global__ void __launch_bounds__(kBackwardThreads)
    backward(const T* logits, const std::int64_t* target, const float* logs, const T* gradient,
             bool is_mean, int classes, T* dx) {
  const std::int64_t row = blockIdx.x;
  const int at = int(target[row]);
  const float log_sum = logs[row];
  const float scale = is_mean ? to_float(gradient[0]) / float(gridDim.x) : to_float(gradient[row]);
  T* const out = dx + row * classes;
  PeeledRow<T, kBackwardThreads>(logits, classes)
      .visit([&]<int kCount>(Pack<T, kCount> pack, int column) {
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float share = __expf(to_float(pack.values[i]) - log_sum);
          pack.values[i] = from_float<T>((share - (column + i == at ? 1.0f : 0.0f)) * scale);
        }
        store<kCount>(out + column, pack);
      });
}

void reduce_rows(const KernelCall& call, float* logs, float* losses) {
  by_dtype(call.problem.dtype(), [&](auto zero) {
    using T = decltype(zero);
    log_sums<<<unsigned(call.problem.integer("rows")), kForwardThreads, 0, call.stream>>>(
        static_cast<const T*>(call.inputs[0]), static_cast<const std::int64_t*>(call.inputs[1]),
        int(call.problem.integer("classes")), logs, losses);
  });
}

void before(const KernelCall& call) {
  if (call.problem.is_backward()) reduce_rows(call, static_cast<float*>(call.scratch[0]), nullptr);
}

void launch_forward(const KernelCall& call) {
  const std::int64_t rows = call.problem.integer("rows");
  auto* const losses = static_cast<float*>(call.scratch[0]);
  reduce_rows(call, nullptr, losses);
  by_dtype(call.problem.dtype(), [&](auto zero) {
    auto* const out = static_cast<decltype(zero)*>(call.outputs[0]);
    if (call.problem.text("reduction") == "mean")
      mean_of<<<1, kThreads, 0, call.stream>>>(losses, rows, out);
    else
      rounded<<<unsigned(ceil_div(rows, kThreads)), kThreads, 0, call.stream>>>(losses, rows, out);
  });
}

void launch(const KernelCall& call) {
  const Problem& p = call.problem;
  if (!p.is_backward()) return launch_forward(call);
  by_dtype(p.dtype(), [&](auto zero) {
    using T = decltype(zero);
    backward<<<unsigned(p.integer("rows")), kBackwardThreads, 0, call.stream>>>(
        static_cast<const T*>(call.inputs[0]), static_cast<const std::int64_t*>(call.inputs[1]),
        static_cast<const float*>(call.scratch[0]), static_cast<const T*>(call.inputs[2]),
        p.text("reduction") == "mean", int(p.integer("classes")), static_cast<T*>(call.outputs[0]));
  });
}

std::vector<KernelOutput> outputs(const Problem& p) {
  const std::int64_t rows = p.integer("rows");
  if (p.is_backward()) return {{{rows, p.integer("classes")}, p.dtype()}};
  if (p.text("reduction") == "mean") return {{{}, p.dtype()}};
  return {{{rows}, p.dtype()}};
}

/// Losses, or for backward the logs of the rows' sums.
std::vector<KernelOutput> scratch(const Problem& p) {
  return {{{p.integer("rows")}, DType::float32}};
}

}  // namespace

CustomKernels cross_entropy_custom() {
  return {
      .kernels = {{"online", launch}}, .outputs = outputs, .scratch = scratch, .before = before};
}

}  // namespace plumbline
