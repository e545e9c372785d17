/// Backward of layer and root-mean-square normalisation: a block has a row at a time.
///
/// As many blocks as fit on the GPU at once share the rows. Each block sums the gradients of weight
/// and bias over its rows. A second kernel then sums these sums in a fixed order, so that every
/// launch gives the same result.
#pragma once

#include <algorithm>

#include "backends/custom/launches.cuh"
#include "backends/custom/norm_backward_rows.cuh"
#include "backends/custom/norms.cuh"
#include "backends/custom/partial_sums.cuh"

namespace plumbline::custom {

template <class T>
struct NormBackward {
  const T* x;
  const T* weight;  // null: no weight and no sums
  const T* gradient;
  RowStatistics kept;
  T* dx;
  float* weight_sums;  // a row of cols for each block
  float* bias_sums;    // null if not centred
};

template <int kRows>
struct BatchStatistics {
  float means[kRows], inverses[kRows];
};

/// Statistics of the batch that begins with `first`; arbitrary values beyond the matrix.
template <class Queue, int kRows, bool kIsCentred>
__device__ BatchStatistics<kRows> statistics_of(const RowStatistics& kept, std::int64_t first,
                                                std::int64_t rows) {
  BatchStatistics<kRows> statistics;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::int64_t row = min(Queue::row(first, r), rows - 1);
    statistics.means[r] = kIsCentred ? kept.means[row] : 0;
    statistics.inverses[r] = kept.inverse_deviations[row];
  }
  return statistics;
}

/// The sum over the warp of values[lane / (kWarp / kValues)]. Lanes first divide the values among
/// themselves, so that each step halves the remaining work. kValues: a power of two.
template <int kValues>
__device__ float sum_of_one(float (&values)[kValues], int lane) {
  int offset = kWarp / 2;
#pragma unroll
  for (int count = kValues / 2; count > 0; count /= 2, offset /= 2) {
    const bool is_upper = (lane & offset) != 0;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float given = is_upper ? values[i] : values[i + count];
      const float kept = is_upper ? values[i + count] : values[i];
      values[i] = kept + __shfl_xor_sync(0xffffffffu, given, offset);
    }
  }
  return over_lanes<Sum, kWarp / kValues>(values[0]);
}

/// Sums several values over a block of up to kThreadsMax. One barrier is enough because calls
/// alternate `turn` 0 and 1: what a call overwrites was read before the barrier of the call in
/// between.
template <int kThreadsMax, int kValues>
__device__ void sum_over_block(float (&values)[kValues], int turn) {
  __shared__ float of_warp[2][kValues][kWarp];
  constexpr int kLanes = kWarp / kValues;  // lanes that have the same value
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp;
  float sum = sum_of_one(values, lane);
  if (lane % kLanes == 0) of_warp[turn][lane / kLanes][warp] = sum;
  __syncthreads();
  const int warps = int(blockDim.x) / kWarp;
  sum = 0;
#pragma unroll
  for (int first = 0; first < kThreadsMax / kWarp; first += kLanes)
    if (const int other = first + lane % kLanes; other < warps)
      sum += of_warp[turn][lane / kLanes][other];
  sum = over_lanes<Sum, kLanes>(sum);
#pragma unroll
  for (int i = 0; i < kValues; ++i) values[i] = __shfl_sync(0xffffffffu, sum, i * kLanes);
}

/// Writes a block's sums into the block's own row.
template <class Form, class Queue>
__device__ void keep_sums(const float (&sums)[Form::kPacks][Form::kCount], int cols,
                          float* of_blocks) {
  constexpr int kWide = Form::kCount < kPackOf<float> ? Form::kCount : kPackOf<float>;
#pragma unroll
  for (int p = 0; p < Form::kPacks; ++p) {
    if (Queue::column(p) >= cols) continue;
    float* const at = of_blocks + std::int64_t(blockIdx.x) * cols + Queue::column(p);
#pragma unroll
    for (int i = 0; i < Form::kCount; i += kWide)
      store(at + i, reinterpret_cast<const Pack<float, kWide>&>(sums[p][i]));
  }
}

template <class Form, bool kIsCentred, class T>
__global__ void __launch_bounds__(Form::kThreadsMax, 1)
    norm_backward(std::int64_t rows, int cols, NormBackward<T> body) {
  constexpr int kCount = Form::kCount, kPacks = Form::kPacks, kRows = Form::kRows;
  constexpr int kSums = kIsCentred ? 2 : 1;  // sums per row
  using Queue = RowQueue<Form, T>;
  Queue queue(body.x, body.gradient, rows, cols);
  const auto statistics = [&](std::int64_t first) {
    return statistics_of<Queue, kRows, kIsCentred>(body.kept, first, rows);
  };
  HeldWeight<Form> held;
  if constexpr (kHoldsWeight<Form>) hold_weight<Form>(body.weight, cols, held);
  const auto weight_of = [&](int pack) -> auto& {
    if constexpr (kHoldsWeight<Form>) return held[pack];
    load_weight<Form>(body.weight, cols, pack, held[0]);
    return held[0];
  };
  const float scale = 1 / float(cols);
  float weight_sums[kPacks][kCount] = {}, bias_sums[kPacks][kCount] = {};
  std::int64_t first = blockIdx.x;
  auto next = statistics(first);
  for (int turn = 0; first < rows; first = Queue::after(first, 1), turn ^= 1) {
    typename Queue::Batch batch;
    queue.take(first, batch);
    const auto of_row = next;
    next = statistics(Queue::after(first, 1));

    float sums[kRows * kSums] = {};
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        float x[kCount], g[kCount];
        queue.read(batch, 0, r, p, x);
        queue.read(batch, 1, r, p, g);
        const auto& weight = weight_of(p);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float normalised = (x[i] - of_row.means[r]) * of_row.inverses[r];
          // The same product is summed and later subtracted from the sum, so it must not become
          // part of an fma: otherwise terms that cancel in short rows would not cancel.
          const float weighted = __fmul_rn(g[i], weight[i]);
          weight_sums[p][i] += g[i] * normalised;
          sums[r * kSums] += weighted * normalised;
          if (!kIsCentred) continue;
          bias_sums[p][i] += g[i];
          sums[r * kSums + kSums - 1] += weighted;
        }
      }
    sum_over_block<Form::kThreadsMax>(sums, turn);

#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const float along = sums[r * kSums] * scale;
      const float total = kIsCentred ? sums[r * kSums + kSums - 1] * scale : 0;
      const std::int64_t row = Queue::row(first, r);
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        if (row >= rows || Queue::column(p) >= cols) continue;
        float x[kCount], g[kCount];
        queue.read(batch, 0, r, p, x);
        queue.read(batch, 1, r, p, g);
        const auto& weight = weight_of(p);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float normalised = (x[i] - of_row.means[r]) * of_row.inverses[r];
          const float across = __fmul_rn(g[i], weight[i]) - total - normalised * along;
          x[i] = of_row.inverses[r] * across;
        }
        store<kCount>(body.dx + row * cols + Queue::column(p), from_floats<T>(x));
      }
    }
    queue.leave(first);
  }
  if (body.weight == nullptr) return;
  keep_sums<Form, Queue>(weight_sums, cols, body.weight_sums);
  if (kIsCentred) keep_sums<Form, Queue>(bias_sums, cols, body.bias_sums);
}

template <class Form>
int backward_threads(std::int64_t cols) {
  return int(ceil_div(ceil_div(cols, Form::kFloats), kWarp)) * kWarp;
}

/// Whether a block's rows fit in shared memory, together with a little memory for the kernel
/// itself.
template <class Form>
bool fits(std::int64_t cols) {
  constexpr int kOwn = 1024;
  return Form::shared_bytes(backward_threads<Form>(cols)) + kOwn <=
         device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
}

/// Calls body(form) with the first form that takes such rows, or else with the last form.
template <class Form, class... Others, class Body>
void by_first_form(std::int64_t cols, bool has_weight, const Body& body) {
  if constexpr (sizeof...(Others) == 0)
    body(Form{});
  else if (cols <= Form::kThreadsMax * Form::kFloats && fits<Form>(cols) &&
           (has_weight || Form::kWhere != Rows::kAnew))
    body(Form{});
  else
    by_first_form<Others...>(cols, has_weight, body);
}

/// The same with the form that was fastest, or nearly fastest, for such rows on an H200.
template <bool kIsCentred, class T, class Body>
void by_backward_form(std::int64_t cols, bool has_weight, const Body& body) {
  constexpr int kCount = kPackOf<T>, kMany = 16 / kCount;
  static_assert(kCustomBackwardRowMax == 16 * 1024, "16 values in each of 1024 threads");
  using Short = BackwardForm<kCount, 1, 2, Rows::kAhead, 512>;
  using Long = BackwardForm<kCount, kMany, 1, Rows::kAhead, 512>;
  // Longer rows held in registers would spill.
  using Longer = BackwardForm<kCount, kMany, 1, Rows::kAnew, 768>;
  using Longest = BackwardForm<kCount, kMany, 1, Rows::kAnew, 1024>;
  using Alone = BackwardForm<kCount, kMany, 1, Rows::kAnew, 1024, /*kStages=*/1>;
  using Any = BackwardForm<kCount, kMany, 1, Rows::kHeld, 1024>;
  if (cols % kCount != 0)
    by_first_form<BackwardForm<1, 16, 1, Rows::kHeld, 512>,
                  BackwardForm<1, 16, 1, Rows::kHeld, 1024>>(cols, has_weight, body);
  else if constexpr (sizeof(T) == 2 && !kIsCentred)
    by_first_form<Short, BackwardForm<kCount, kMany, 2, Rows::kAhead, 384>, Long,
                  BackwardForm<kCount, kMany, 1, Rows::kAhead, 768>, Longest, Alone, Any>(
        cols, has_weight, body);
  else
    by_first_form<Short, Long, Longer, Longest, Alone, Any>(cols, has_weight, body);
}

/// Blocks whose sums are summed at once; half as many if there are few blocks.
inline constexpr int kFinishBlocks = 32, kFewBlocks = 160;

struct BackwardGrid {
  std::int64_t blocks;
  int threads;
};

/// As many blocks as fit on the GPU at once, if each has at least kRowsMin rows.
template <class Form, bool kIsCentred, class T>
BackwardGrid backward_grid(std::int64_t rows, std::int64_t cols) {
  constexpr int kBlocksMax = 8;         // per multiprocessor
  constexpr std::int64_t kRowsMin = 8;  // per block
  const auto kernel = norm_backward<Form, kIsCentred, T>;
  const int threads = backward_threads<Form>(cols);
  const int shared = Form::shared_bytes(threads);
  int together = 0;  // stays 0, with no multiprocessors, if there is no device
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, threads, std::size_t(shared));
  const std::int64_t multiprocessors =
      std::max(1, device_attribute(cudaDevAttrMultiProcessorCount));
  const std::int64_t on_each = std::min<std::int64_t>(std::clamp(together, 1, kBlocksMax),
                                                      ceil_div(rows, kRowsMin * multiprocessors));
  return {std::min(on_each * multiprocessors, ceil_div(rows, Form::kRows)), threads};
}

template <bool kIsCentred, class T>
std::int64_t backward_blocks(std::int64_t rows, std::int64_t cols, bool has_weight) {
  std::int64_t blocks = 0;
  by_backward_form<kIsCentred, T>(cols, has_weight, [&](auto form) {
    blocks = backward_grid<decltype(form), kIsCentred, T>(rows, cols).blocks;
  });
  return blocks;
}

/// Gradients of x, and of weight and bias if present.
template <bool kIsCentred, class T>
void launch_norm_backward(std::int64_t rows, std::int64_t cols, const NormBackward<T>& body,
                          T* weight_gradient, T* bias_gradient, cudaStream_t stream) {
  by_backward_form<kIsCentred, T>(cols, body.weight != nullptr, [&](auto form) {
    using Form = decltype(form);
    const BackwardGrid grid = backward_grid<Form, kIsCentred, T>(rows, cols);
    norm_backward<Form, kIsCentred, T>
        <<<unsigned(grid.blocks), unsigned(grid.threads),
           unsigned(Form::shared_bytes(grid.threads)), stream>>>(rows, int(cols), body);
    if (body.weight == nullptr) return;
    const PartialSums<T> of_weight{body.weight_sums, weight_gradient};
    const PartialSums<T> of_bias{body.bias_sums, bias_gradient};
    const auto finish = grid.blocks <= kFewBlocks ? launch_finish<kFinishBlocks / 2, T>
                                                  : launch_finish<kFinishBlocks, T>;
    finish(of_weight, of_bias, kIsCentred ? 2 : 1, grid.blocks, cols, stream);
  });
}

}  // namespace plumbline::custom
