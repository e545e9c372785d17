/// How a norm's backward kernel brings rows to the threads of a block. Knows no norm.
#pragma once

#include "backends/custom/copies.cuh"
#include "backends/custom/packs.cuh"

namespace plumbline::custom {

/// Where a thread keeps its part of a row, which it needs twice: before the block's sums and after
/// them.
enum class Rows {
  kHeld,   // in registers, as read
  kAhead,  // in registers; the next rows are copied to shared memory meanwhile
  kAnew,   // in shared memory until they are done, and the weight in L1: leaves registers for sums
};

/// How rows lie in a block: each thread has kPacks packs of kCount elements of kRows rows at once.
/// Unless kWhere is Rows::kHeld, packs are 16 bytes and kStages batches of rows are in shared
/// memory.
template <int kCount_, int kPacks_, int kRows_, Rows kWhere_, int kThreadsMax_, int kStages_ = 2>
struct BackwardForm {
  static constexpr int kCount = kCount_, kPacks = kPacks_, kRows = kRows_;
  static constexpr Rows kWhere = kWhere_;
  static constexpr int kThreadsMax = kThreadsMax_;
  static constexpr int kStages = kStages_;
  static constexpr int kFloats = kPacks * kCount;  // per row and thread
  static constexpr int kInputs = 2;                // x and the gradient
  static constexpr int kOfStage = kInputs * kRows * kPacks;

  static int shared_bytes(int threads) {
    return kWhere == Rows::kHeld ? 0 : kStages * kOfStage * threads * 16;
  }
};

/// A thread's packs of the block's rows of x and of the gradient, Form::kRows rows at a time. A
/// thread copies ahead only what it reads itself, so that no thread waits for another.
template <class Form, class T>
class RowQueue {
 public:
  using Element = Pack<T, Form::kCount>;

  __device__ RowQueue(const T* x, const T* gradient, std::int64_t rows, int cols)
      : inputs_{x, gradient}, rows_(rows), cols_(cols) {
    if constexpr (Form::kWhere != Rows::kHeld)
      for (int s = 0; s < Form::kStages; ++s) copy_ahead(after(blockIdx.x, s), s);
  }

  /// Column of the first element of a pack.
  static __device__ int column(int pack) {
    return int(pack * blockDim.x + threadIdx.x) * Form::kCount;
  }
  /// The r-th row of the batch that begins with `first`, and the first row of the batch that many
  /// batches later.
  static __device__ std::int64_t row(std::int64_t first, int r) {
    return first + std::int64_t(r) * gridDim.x;
  }
  static __device__ std::int64_t after(std::int64_t first, int batches) {
    return row(first, batches * Form::kRows);
  }

  /// The registers that hold a thread's part of a batch.
  using Batch = Element[Form::kWhere == Rows::kAnew ? 1 : Form::kInputs][Form::kRows][Form::kPacks];

  /// Takes the batch that begins with `first`; zeros beyond the matrix.
  __device__ void take(std::int64_t first, Batch& batch) {
    if constexpr (Form::kWhere == Rows::kHeld) {
      visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
        batch[input][r][p] = is_there ? load<Form::kCount>(at) : Element{};
      });
    } else {
      wait_for_copies<Form::kStages - 1>();
      if constexpr (Form::kWhere == Rows::kAhead) {
#pragma unroll
        for (int i = 0; i < Form::kOfStage; ++i) (&batch[0][0][0])[i] = *slot(stage_, i);
        next_into_stage(first);
      }
    }
  }
  /// Reads a pack of x (input 0) or of the gradient (1) from a row of the batch, as float32.
  __device__ void read(const Batch& batch, int input, int r, int p,
                       float (&values)[Form::kCount]) const {
    if constexpr (Form::kWhere == Rows::kAnew)
      to_floats(*slot(stage_, place(input, r, p)), values);
    else
      to_floats(batch[input][r][p], values);
  }
  /// Releases the batch that begins with `first`.
  __device__ void leave(std::int64_t first) {
    if constexpr (Form::kWhere == Rows::kAnew) next_into_stage(first);
  }

 private:
  static __device__ constexpr int place(int input, int r, int p) {
    return (input * Form::kRows + r) * Form::kPacks + p;
  }
  /// The slots of a block's threads lie side by side, so that neighbouring copies stay coalesced.
  static __device__ Element* slot(int stage, int i) {
    extern __shared__ uint4 ring[];  // named here, so that the compiler knows which memory it is
    return reinterpret_cast<Element*>(ring) + (stage * Form::kOfStage + i) * int(blockDim.x) +
           int(threadIdx.x);
  }

  __device__ void next_into_stage(std::int64_t first) {
    copy_ahead(after(first, Form::kStages), stage_);
    stage_ = (stage_ + 1) % Form::kStages;
  }

  __device__ void copy_ahead(std::int64_t first, int to_stage) const {
    visit(first, [&](int input, int r, int p, bool is_there, const T* at) {
      copy_16(slot(to_stage, place(input, r, p)), at, is_there);
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
};

/// A thread's elements of the weight in a pack; ones beyond the row.
template <class Form, class T>
__device__ void load_weight(const T* weight, int cols, int pack, float (&values)[Form::kCount]) {
  if (const int column = RowQueue<Form, T>::column(pack); column < cols)
    to_floats(load<Form::kCount>(weight + column), values);
  else
#pragma unroll
    for (float& value : values) value = 1;
}

template <class Form>
inline constexpr bool kHoldsWeight = Form::kWhere != Rows::kAnew;
/// A thread's elements of the weight, or room for one pack of them.
template <class Form>
using HeldWeight = float[kHoldsWeight<Form> ? Form::kPacks : 1][Form::kCount];

/// Loads ones if weight is null.
template <class Form, class T>
__device__ void hold_weight(const T* weight, int cols, HeldWeight<Form>& held) {
#pragma unroll
  for (int p = 0; p < Form::kPacks; ++p)
    if (weight != nullptr)
      load_weight<Form>(weight, cols, p, held[p]);
    else
#pragma unroll
      for (float& value : held[p]) value = 1;
}

}  // namespace plumbline::custom
