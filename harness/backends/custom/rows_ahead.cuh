/// Rows that come to a block one after another: while it works on some, the next ones are on their
/// way to shared memory.
#pragma once

#include <algorithm>

#include "backends/custom/copies.cuh"
#include "backends/custom/launches.cuh"
#include "backends/custom/rows.cuh"

namespace plumbline::custom {

/// How rows lie in a block: each thread has kPacks packs of kCount elements of kRows rows at once,
/// of each of kInputs matrices. kIsAhead: rows to come are on their way to shared memory meanwhile;
/// for packs of 16 bytes.
template <int kCount_, int kPacks_, int kRows_, int kInputs_, bool kIsAhead_, int kThreadsMax_>
struct RowForm {
  static constexpr int kCount = kCount_, kPacks = kPacks_, kRows = kRows_, kInputs = kInputs_;
  static constexpr bool kIsAhead = kIsAhead_;
  static constexpr int kThreadsMax = kThreadsMax_;
  static constexpr int kFloats = kPacks * kCount;  // of a row, in a thread
  static constexpr int kStages = 2;                // of rows ahead

  /// Whole warps, for a row of that length.
  static int threads(std::int64_t cols) {
    return int(ceil_div(ceil_div(cols, kFloats), kWarp)) * kWarp;
  }
  static int shared_bytes(int threads) {
    return kIsAhead ? kStages * kInputs * kRows * kPacks * threads * 16 : 0;
  }
  /// Column of the first element of a thread's pack.
  static __device__ int column(int pack) { return int(pack * blockDim.x + threadIdx.x) * kCount; }
};

/// A block's rows of all inputs, Form::kRows at a time. Each thread copies ahead what itself reads:
/// no thread waits for another.
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

/// As each_row, of x alone and by blocks that have many rows. A Body has
///   template <class Form> auto hold(int cols) const;
///   template <class Form> void row_ahead(std::int64_t row, int cols, const BlockGroup& group,
///       const Pack<T, Form::kCount> (&packs)[Form::kPacks], const Held& held) const;
/// where `held` is what hold() gave to the thread, for all of its rows.
template <class Form, class T, class Body>
__global__ void __launch_bounds__(Form::kThreadsMax)
    each_row_ahead(const T* x, std::int64_t rows, int cols, Body body) {
  using Queue = RowQueue<Form, T>;
  Queue queue{{x}, rows, cols};
  std::int64_t row = blockIdx.x;
  queue.start(row);
  const BlockGroup group;
  const auto held = body.template hold<Form>(cols);
  for (; row < rows; row = Queue::after(row, 1)) {
    typename Queue::Batch batch;
    queue.take(row, batch);
    body.template row_ahead<Form>(row, cols, group, batch[0][0], held);
  }
}

/// Whether each_row_ahead takes such rows, and was the faster on an H200: of 16-bit types, in whole
/// packs, longer than a warp's.
template <class T, int kPacks>
bool goes_ahead(std::int64_t cols) {
  return has_wide_packs<T>(cols) && !row_shape(cols).has_warps &&
         cols <= std::int64_t(kPacks) * kPackOf<T> * BlockGroup::kThreadsMax;
}

template <int kPacks, class T, class Body>
void launch_each_row_ahead(std::int64_t rows, std::int64_t cols, const T* x, const Body& body,
                           cudaStream_t stream) {
  using Form = RowForm<kPackOf<T>, kPacks, 1, 1, true, BlockGroup::kThreadsMax>;
  const int threads = Form::threads(cols), shared = Form::shared_bytes(threads);
  const std::int64_t on_each = std::max(1, BlockGroup::kThreadsMax / threads);
  const auto kernel = each_row_ahead<Form, T, Body>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
  kernel<<<unsigned(std::min(rows, on_each * multiprocessors())), unsigned(threads),
           unsigned(shared), stream>>>(x, rows, int(cols), body);
}

}  // namespace plumbline::custom
