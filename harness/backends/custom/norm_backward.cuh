/// Backward of layer and root-mean-square normalisation: a block has a row at a time.
///
/// As many blocks as are on the GPU at once share out the rows. Each sums the gradients of weight
/// and bias over its rows; a second kernel sums those sums in a fixed order, so that the result is
/// the same in every launch.
#pragma once

#include <algorithm>

#include "backends/custom/copies.cuh"
#include "backends/custom/launches.cuh"
#include "backends/custom/norms.cuh"
#include "backends/custom/partial_sums.cuh"

namespace plumbline::custom {

template <class T>
struct NormBackward {
  const T* x;
  const T* weight;  // null: none, and no sums
  const T* gradient;
  RowStatistics kept;
  T* dx;
  float* weight_sums;  // a row of cols for each block
  float* bias_sums;    // unless centred: null
};

/// How rows lie in a block: each thread has kPacks packs of kCount elements of kRows rows at once.
/// kIsAhead: rows to come are on their way to shared memory meanwhile; for packs of 16 bytes.
template <int kCount_, int kPacks_, int kRows_, bool kIsAhead_, int kThreadsMax_>
struct BackwardForm {
  static constexpr int kCount = kCount_, kPacks = kPacks_, kRows = kRows_;
  static constexpr bool kIsAhead = kIsAhead_;
  static constexpr int kThreadsMax = kThreadsMax_;
  static constexpr int kFloats = kPacks * kCount;  // of a row, in a thread
  static constexpr int kStages = 2;                // of rows ahead
  static constexpr int kInputs = 2;                // x and the gradient
  static constexpr int kOfStage = kInputs * kRows * kPacks;

  static int shared_bytes(int threads) { return kIsAhead ? kStages * kOfStage * threads * 16 : 0; }
};

/// A thread's packs of the block's rows of x and of the gradient, Form::kRows at a time. It copies
/// ahead what itself reads: no thread waits for another.
template <class Form, class T>
class RowQueue {
 public:
  using Element = Pack<T, Form::kCount>;
  using Batch = Element[Form::kInputs][Form::kRows][Form::kPacks];

  __device__ RowQueue(const T* x, const T* gradient, std::int64_t rows, int cols)
      : inputs_{x, gradient}, rows_(rows), cols_(cols) {
    extern __shared__ uint4 ring[];
    slots_ = reinterpret_cast<Element*>(ring) + threadIdx.x;
    if constexpr (Form::kIsAhead)
      for (int s = 0; s < Form::kStages; ++s) copy_ahead(after(blockIdx.x, s), s);
  }

  /// Column of the first element of a pack.
  static __device__ int column(int pack) {
    return int(pack * blockDim.x + threadIdx.x) * Form::kCount;
  }
  /// The r-th row of the batch that begins with a row, and the first of the batch so many later.
  static __device__ std::int64_t row(std::int64_t first, int r) {
    return first + std::int64_t(r) * gridDim.x;
  }
  static __device__ std::int64_t after(std::int64_t first, int batches) {
    return row(first, batches * Form::kRows);
  }

  /// The batch that begins with a row; zeros beyond the matrix.
  __device__ void take(std::int64_t first, Batch& batch) {
    if constexpr (Form::kIsAhead) {
      wait_for_copies<Form::kStages - 1>();
#pragma unroll
      for (int i = 0; i < Form::kOfStage; ++i) (&batch[0][0][0])[i] = *slot(stage_, i);
      copy_ahead(after(first, Form::kStages), stage_);
      stage_ = (stage_ + 1) % Form::kStages;
    } else {
      visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
        batch[input][r][p] = is_there ? load<Form::kCount>(at) : Element{};
      });
    }
  }

 private:
  /// Those of a block's threads side by side: copies of what lies side by side stay whole.
  __device__ Element* slot(int stage, int i) const {
    return slots_ + (stage * Form::kOfStage + i) * blockDim.x;
  }

  __device__ void copy_ahead(std::int64_t first, int to_stage) const {
    visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
      copy_16(slot(to_stage, (input * Form::kRows + r) * Form::kPacks + p), at, is_there);
    });
    commit_copies();
  }

  template <class Each>
  __device__ void visit(std::int64_t first, const Each& each) const {
#pragma unroll
    for (int i = 0; i < Form::kInputs; ++i)
#pragma unroll
      for (int r = 0; r < Form::kRows; ++r)
#pragma unroll
        for (int p = 0; p < Form::kPacks; ++p)
          each(i, r, p, row(first, r) < rows_ && column(p) < cols_,
               inputs_[i] + row(first, r) * cols_ + column(p));
  }

  const T* inputs_[Form::kInputs];
  std::int64_t rows_;
  int cols_, stage_ = 0;
  Element* slots_;
};

template <int kRows>
struct BatchStatistics {
  float means[kRows], inverses[kRows];
};

/// Of the batch that begins with a row; beyond the matrix, some number.
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

/// A thread's elements of the weight; ones where there is none.
template <class Form, class Queue, class T>
__device__ void load_weight(const T* weight, int cols,
                            float (&values)[Form::kPacks][Form::kCount]) {
#pragma unroll
  for (int p = 0; p < Form::kPacks; ++p)
    if (weight != nullptr && Queue::column(p) < cols)
      to_floats(load<Form::kCount>(weight + Queue::column(p)), values[p]);
    else
#pragma unroll
      for (float& value : values[p]) value = 1;
}

/// The sum over the warp of values[lane / (kWarp / kValues)]: lanes share out the values first, so
/// that each step halves what is left. kValues: a power of two.
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

/// Sums of several values over a block of up to kThreadsMax. One barrier is enough because calls
/// take turns with `turn` 0 and 1: what a call overwrites was read before the barrier of the call
/// in between.
template <int kThreadsMax, int kValues>
__device__ void sum_over_block(float (&values)[kValues], int turn) {
  __shared__ float of_warp[2][kValues][kWarp];
  constexpr int kLanes = kWarp / kValues;  // that have the same value
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

/// A block's sums into its row of them.
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
  constexpr int kSums = kIsCentred ? 2 : 1;  // of a row
  using Queue = RowQueue<Form, T>;
  Queue queue(body.x, body.gradient, rows, cols);
  const auto statistics = [&](std::int64_t first) {
    return statistics_of<Queue, kRows, kIsCentred>(body.kept, first, rows);
  };
  float weight[kPacks][kCount];
  load_weight<Form, Queue>(body.weight, cols, weight);

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
        to_floats(batch[0][r][p], x);
        to_floats(batch[1][r][p], g);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float normalised = (x[i] - of_row.means[r]) * of_row.inverses[r];
          // The same value where it is summed and where the sum is subtracted, never part of an
          // fma: what cancels in short rows cancels.
          const float weighted = __fmul_rn(g[i], weight[p][i]);
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
        to_floats(batch[0][r][p], x);
        to_floats(batch[1][r][p], g);
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float normalised = (x[i] - of_row.means[r]) * of_row.inverses[r];
          const float across = __fmul_rn(g[i], weight[p][i]) - total - normalised * along;
          x[i] = of_row.inverses[r] * across;
        }
        store<kCount>(body.dx + row * cols + Queue::column(p), from_floats<T>(x));
      }
    }
  }
  if (body.weight == nullptr) return;
  keep_sums<Form, Queue>(weight_sums, cols, body.weight_sums);
  if (kIsCentred) keep_sums<Form, Queue>(bias_sums, cols, body.bias_sums);
}

/// Calls body(form) with the form that was the fastest for such rows, or nearly, on an H200.
template <class T, class Body>
void by_backward_form(std::int64_t cols, const Body& body) {
  constexpr int kCount = kPackOf<T>;
  // Longer rows would spill. Ahead, they take 16 bytes a column, the last warp's 512 columns whole.
  const std::int64_t shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const std::int64_t ahead_up_to = std::min<std::int64_t>(8 * 1024, shared / 16 - 512);
  if (cols % kCount != 0 && cols <= 8 * 1024) return body(BackwardForm<1, 16, 1, false, 512>{});
  static_assert(kCustomBackwardRowMax == 16 * 1024, "16 values in each of 1024 threads");
  if (cols % kCount != 0) return body(BackwardForm<1, 16, 1, false, 1024>{});
  if (cols > ahead_up_to) return body(BackwardForm<kCount, 16 / kCount, 1, false, 1024>{});
  constexpr int kThreads = 512;
  if (cols <= kThreads * kCount) return body(BackwardForm<kCount, 1, 2, true, kThreads>{});
  body(BackwardForm<kCount, 16 / kCount, 1, true, kThreads>{});
}

/// Of which the sums are summed at once: there are hundreds.
inline constexpr int kFinishBlocks = 32;

struct BackwardGrid {
  std::int64_t blocks;
  int threads;
};

/// As many blocks as are on the GPU at once, as long as each has some rows to itself.
template <class Form, bool kIsCentred, class T>
BackwardGrid backward_grid(std::int64_t rows, std::int64_t cols) {
  constexpr int kBlocksMax = 8;         // of a multiprocessor
  constexpr std::int64_t kRowsMin = 8;  // of a block
  const auto kernel = norm_backward<Form, kIsCentred, T>;
  const int threads = int(ceil_div(ceil_div(cols, Form::kFloats), kWarp)) * kWarp;
  const int shared = Form::shared_bytes(threads);
  int together = 0;  // and no multiprocessors: there is no device
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&together, kernel, threads, std::size_t(shared));
  const std::int64_t multiprocessors =
      std::max(1, device_attribute(cudaDevAttrMultiProcessorCount));
  const std::int64_t on_each = std::min<std::int64_t>(std::clamp(together, 1, kBlocksMax),
                                                      ceil_div(rows, kRowsMin * multiprocessors));
  return {std::min(on_each * multiprocessors, ceil_div(rows, Form::kRows)), threads};
}

template <bool kIsCentred, class T>
std::int64_t backward_blocks(std::int64_t rows, std::int64_t cols) {
  std::int64_t blocks = 0;
  by_backward_form<T>(cols, [&](auto form) {
    blocks = backward_grid<decltype(form), kIsCentred, T>(rows, cols).blocks;
  });
  return blocks;
}

/// Gradients of x, and of weight and bias where there are such.
template <bool kIsCentred, class T>
void launch_norm_backward(std::int64_t rows, std::int64_t cols, const NormBackward<T>& body,
                          T* weight_gradient, T* bias_gradient, cudaStream_t stream) {
  by_backward_form<T>(cols, [&](auto form) {
    using Form = decltype(form);
    const BackwardGrid grid = backward_grid<Form, kIsCentred, T>(rows, cols);
    norm_backward<Form, kIsCentred, T>
        <<<unsigned(grid.blocks), unsigned(grid.threads),
           unsigned(Form::shared_bytes(grid.threads)), stream>>>(rows, int(cols), body);
    if (body.weight == nullptr) return;
    launch_finish<kFinishBlocks>(PartialSums<T>{body.weight_sums, weight_gradient},
                                 PartialSums<T>{body.bias_sums, bias_gradient}, kIsCentred ? 2 : 1,
                                 grid.blocks, cols, stream);
  });
}

}  // namespace plumbline::custom
