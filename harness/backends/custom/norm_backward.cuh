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

  static int shared_bytes(int threads) {
    return kIsAhead ? kStages * kInputs * kRows * kPacks * threads * 16 : 0;
  }
  /// Column of the first element of a thread's pack.
  static __device__ int column(int pack) { return int(pack * blockDim.x + threadIdx.x) * kCount; }
};

/// A block's rows of x and of the gradient, Form::kRows at a time. Each thread copies ahead what
/// itself reads: no thread waits for another.
template <class Form, class T>
struct RowQueue {
  using Element = Pack<T, Form::kCount>;
  using Batch = Element[Form::kInputs][Form::kRows][Form::kPacks];

  const T* inputs[Form::kInputs];
  std::int64_t rows;
  int cols, stage = 0;

  __device__ void start(std::int64_t first) const {
    if constexpr (Form::kIsAhead)
      for (int s = 0; s < Form::kStages; ++s) copy_ahead(after(first, s), s);
  }

  /// The batch that begins with a row; zeros beyond the matrix.
  __device__ void take(std::int64_t first, Batch& batch) {
    if constexpr (Form::kIsAhead) wait_for_copies<Form::kStages - 1>();
    visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
      Element& element = batch[input][r][p];
      if constexpr (Form::kIsAhead)
        element = is_there ? *slot(stage, input, r, p) : Element{};
      else
        element = is_there ? load<Form::kCount>(at) : Element{};
    });
    if constexpr (Form::kIsAhead) {
      copy_ahead(after(first, Form::kStages), stage);
      stage = (stage + 1) % Form::kStages;
    }
  }

  /// First row of the batch so many batches later.
  static __device__ std::int64_t after(std::int64_t first, int batches) {
    return first + std::int64_t(batches) * Form::kRows * gridDim.x;
  }

 private:
  __device__ void copy_ahead(std::int64_t first, int to_stage) const {
    visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
      if (is_there) copy_16(slot(to_stage, input, r, p), at);
    });
    commit_copies();
  }

  static __device__ Element* slot(int stage, int input, int r, int p) {
    extern __shared__ uint4 ring[];
    const int pack = ((stage * Form::kInputs + input) * Form::kRows + r) * Form::kPacks + p;
    return reinterpret_cast<Element*>(ring) + pack * blockDim.x + threadIdx.x;
  }

  template <class Each>
  __device__ void visit(std::int64_t first, const Each& each) const {
#pragma unroll
    for (int r = 0; r < Form::kRows; ++r) {
      const std::int64_t row = first + std::int64_t(r) * gridDim.x;
#pragma unroll
      for (int p = 0; p < Form::kPacks; ++p) {
        const int col = Form::column(p);
        const bool is_there = row < rows && col < cols;
#pragma unroll
        for (int i = 0; i < Form::kInputs; ++i)
          each(i, r, p, is_there, inputs[i] + row * cols + col);
      }
    }
  }
};

template <int kRows>
struct BatchStatistics {
  float means[kRows], inverses[kRows];
};

/// Of the batch that begins with a row; beyond the matrix, some number.
template <class Form, bool kIsCentred>
__device__ BatchStatistics<Form::kRows> statistics_of(const RowStatistics& kept, std::int64_t first,
                                                      std::int64_t rows) {
  BatchStatistics<Form::kRows> statistics;
#pragma unroll
  for (int r = 0; r < Form::kRows; ++r) {
    const std::int64_t row = min(first + std::int64_t(r) * gridDim.x, rows - 1);
    statistics.means[r] = kIsCentred ? kept.means[row] : 0;
    statistics.inverses[r] = kept.inverse_deviations[row];
  }
  return statistics;
}

/// A thread's packs of the weight; ones where there is none.
template <class Form, class T>
__device__ void load_weight(const T* weight, int cols,
                            Pack<T, Form::kCount> (&packs)[Form::kPacks]) {
#pragma unroll
  for (int p = 0; p < Form::kPacks; ++p)
    if (weight != nullptr && Form::column(p) < cols)
      packs[p] = load<Form::kCount>(weight + Form::column(p));
    else
#pragma unroll
      for (T& value : packs[p].values) value = from_float<T>(1);
}

/// Sums of several values over a block. One barrier is enough because calls take turns with `turn`
/// 0 and 1: what a call overwrites was read before the barrier of the call in between.
template <int kValues>
__device__ void sum_over_block(float (&values)[kValues], int turn) {
  __shared__ float of_warp[2][kValues][kWarp];
  const int lane = int(threadIdx.x) % kWarp, warp = int(threadIdx.x) / kWarp;
#pragma unroll
  for (int i = 0; i < kValues; ++i) {
    values[i] = over_warp<Sum>(values[i]);
    if (lane == 0) of_warp[turn][i][warp] = values[i];
  }
  __syncthreads();
  const int warps = int(blockDim.x) / kWarp;
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    values[i] = over_warp<Sum>(lane < warps ? of_warp[turn][i][lane] : 0);
}

/// A block's sums into its row of them.
template <class Form>
__device__ void keep_sums(const float (&sums)[Form::kFloats], int cols, float* of_blocks) {
#pragma unroll
  for (int i = 0; i < Form::kFloats; ++i)
    if (const int col = Form::column(i / Form::kCount) + i % Form::kCount; col < cols)
      of_blocks[std::int64_t(blockIdx.x) * cols + col] = sums[i];
}

template <class Form, bool kIsCentred, class T>
__global__ void __launch_bounds__(Form::kThreadsMax, 1)
    norm_backward(std::int64_t rows, int cols, NormBackward<T> body) {
  constexpr int kCount = Form::kCount, kPacks = Form::kPacks, kRows = Form::kRows;
  constexpr int kSums = kIsCentred ? 2 : 1;  // of a row
  using Queue = RowQueue<Form, T>;
  Queue queue{{body.x, body.gradient}, rows, cols};
  std::int64_t first = blockIdx.x;
  queue.start(first);

  Pack<T, kCount> weight[kPacks];
  load_weight<Form>(body.weight, cols, weight);

  const float scale = 1 / float(cols);
  float weight_sums[Form::kFloats] = {}, bias_sums[Form::kFloats] = {};
  auto next = statistics_of<Form, kIsCentred>(body.kept, first, rows);
  for (int turn = 0; first < rows; first = Queue::after(first, 1), turn ^= 1) {
    typename Queue::Batch batch;
    queue.take(first, batch);
    const auto of_row = next;
    next = statistics_of<Form, kIsCentred>(body.kept, Queue::after(first, 1), rows);
    // Elements stay as they were read, half the registers of float32; to compute from them twice
    // costs less than the registers to keep the results.
    const auto normalised = [&](int r, int p, int i) {
      return (to_float(batch[0][r][p].values[i]) - of_row.means[r]) * of_row.inverses[r];
    };
    const auto gradient = [&](int r, int p, int i) { return to_float(batch[1][r][p].values[i]); };
    // The same value where it is summed and where the sum is subtracted, never part of an fma: what
    // cancels in short rows cancels.
    const auto weighted = [&](int r, int p, int i) {
      return __fmul_rn(gradient(r, p, i), to_float(weight[p].values[i]));
    };

    float sums[kRows * kSums] = {};
#pragma unroll
    for (int r = 0; r < kRows; ++r)
#pragma unroll
      for (int p = 0; p < kPacks; ++p)
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float x = normalised(r, p, i), g = gradient(r, p, i);
          const float gw = weighted(r, p, i);
          weight_sums[p * kCount + i] += g * x;
          sums[r * kSums] += gw * x;
          if (!kIsCentred) continue;
          bias_sums[p * kCount + i] += g;
          sums[r * kSums + kSums - 1] += gw;
        }
    sum_over_block(sums, turn);

#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::int64_t row = first + std::int64_t(r) * gridDim.x;
      const float along = sums[r * kSums] * scale;
      const float total = kIsCentred ? sums[r * kSums + kSums - 1] * scale : 0;
#pragma unroll
      for (int p = 0; p < kPacks; ++p) {
        if (row >= rows || Form::column(p) >= cols) continue;
        Pack<T, kCount> out;
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const float across = weighted(r, p, i) - total - normalised(r, p, i) * along;
          out.values[i] = from_float<T>(of_row.inverses[r] * across);
        }
        store<kCount>(body.dx + row * cols + Form::column(p), out);
      }
    }
  }
  if (body.weight == nullptr) return;
  keep_sums<Form>(weight_sums, cols, body.weight_sums);
  if (kIsCentred) keep_sums<Form>(bias_sums, cols, body.bias_sums);
}

/// Calls body(form) with the form that was the fastest for such rows, or nearly, on an H200.
template <class T, class Body>
void by_backward_form(std::int64_t cols, const Body& body) {
  constexpr int kCount = kPackOf<T>;
  constexpr bool kIsHalf = sizeof(T) < 4;
  constexpr int kThreadsMax = kIsHalf ? 512 : 1024;
  // Longer rows would spill. Ahead, they take 16 bytes a column, the last warp's 512 columns whole.
  const std::int64_t shared = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const std::int64_t ahead_up_to = std::min<std::int64_t>(8 * 1024, shared / 16 - 512);
  if (cols % kCount != 0 && cols <= 8 * 1024) return body(BackwardForm<1, 16, 1, false, 512>{});
  static_assert(kCustomBackwardRowMax == 16 * 1024, "16 values in each of 1024 threads");
  if (cols % kCount != 0) return body(BackwardForm<1, 16, 1, false, 1024>{});
  if (cols > ahead_up_to) return body(BackwardForm<kCount, 16 / kCount, 1, false, 1024>{});
  if (cols <= 1024) return body(BackwardForm<kCount, 1, 2, true, 512>{});
  // Two rows at once, unless many small blocks or long rows of float32 hide the waiting better.
  const bool has_two_rows = kIsHalf ? cols > 2048 : cols <= 2048;
  if (has_two_rows) return body(BackwardForm<kCount, 2, 2, true, 512>{});
  body(BackwardForm<kCount, 2, 1, true, kThreadsMax>{});
}

/// Of which the sums are summed at once: there are hundreds.
inline constexpr int kFinishBlocks = 32;

struct BackwardGrid {
  std::int64_t blocks;
  int threads;
};

/// Blocks for all multiprocessors, as long as each has some rows to itself.
template <class Form>
BackwardGrid backward_grid(std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kThreads = 512, kBlocksMax = 8;  // of a multiprocessor
  constexpr std::int64_t kRowsMin = 8;                    // of a block
  const int threads = int(ceil_div(ceil_div(cols, Form::kFloats), kWarp)) * kWarp;
  const std::int64_t multiprocessors =
      std::max(1, device_attribute(cudaDevAttrMultiProcessorCount));  // 0: there is no device
  const std::int64_t on_each = std::min(std::clamp<std::int64_t>(kThreads / threads, 1, kBlocksMax),
                                        ceil_div(rows, kRowsMin * multiprocessors));
  return {std::min(on_each * multiprocessors, ceil_div(rows, Form::kRows)), threads};
}

template <class T>
std::int64_t backward_blocks(std::int64_t rows, std::int64_t cols) {
  std::int64_t blocks = 0;
  by_backward_form<T>(
      cols, [&](auto form) { blocks = backward_grid<decltype(form)>(rows, cols).blocks; });
  return blocks;
}

/// Gradients of x, and of weight and bias where there are such.
template <bool kIsCentred, class T>
void launch_norm_backward(std::int64_t rows, std::int64_t cols, const NormBackward<T>& body,
                          T* weight_gradient, T* bias_gradient, cudaStream_t stream) {
  by_backward_form<T>(cols, [&](auto form) {
    using Form = decltype(form);
    const BackwardGrid grid = backward_grid<Form>(rows, cols);
    const int shared = Form::shared_bytes(grid.threads);
    const auto kernel = norm_backward<Form, kIsCentred, T>;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    kernel<<<unsigned(grid.blocks), unsigned(grid.threads), unsigned(shared), stream>>>(
        rows, int(cols), body);
    if (body.weight == nullptr) return;
    launch_finish<kFinishBlocks>(PartialSums<T>{body.weight_sums, weight_gradient},
                                 PartialSums<T>{body.bias_sums, bias_gradient}, kIsCentred ? 2 : 1,
                                 grid.blocks, cols, stream);
  });
}

}  // namespace plumbline::custom
