/// How the rows that a norm's backward reads come to a block's threads. Knows
/// no norm.
#pragma once

#include "backends/custom/copies.cuh"
#include "backends/custom/packs.cuh"

namespace plumbline::custom {

/// Where a thread has what it needs of a row twice, before the block's sums and
/// after them.
enum class Rows {
  kHeld,   // in registers, as it was read
  kAhead,  // so too; rows to come are on their way to shared memory meanwhile
  kAnew,   // in shared memory until they are done with, and the weight in L1:
           // leaves registers to sums
};

/// How rows lie in a block: each thread has kPacks packs of kCount elements of
/// kRows rows at once. Unless kWhere is Rows::kHeld, packs are of 16 bytes, and
/// kStages batches of rows are in shared memory.
template <int kCount_, int kPacks_, int kRows_, Rows kWhere_, int kThreadsMax_, int kStages_ = 2>
struct BackwardForm {
  static constexpr int kCount = kCount_, kPacks = kPacks_, kRows = kRows_;
  static constexpr Rows kWhere = kWhere_;
  static constexpr int kThreadsMax = kThreadsMax_;
  static constexpr int kStages = kStages_;
  static constexpr int kFloats = kPacks * kCount;  // of a row, in a thread
  static constexpr int kInputs = 2;                // x and the gradient
  static constexpr int kOfStage = kInputs * kRows * kPacks;

  static int shared_bytes(int threads) {
    return kWhere == Rows::kHeld ? 0 : kStages * kOfStage * threads * 16;
  }
};

/// A thread's packs of the block's rows of x and of the gradient, Form::kRows
/// at a time. It copies ahead what itself reads: no thread waits for another.
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
  /// The r-th row of the batch that begins with a row, and the first of the
  /// batch so many later.
  static __device__ std::int64_t row(std::int64_t first, int r) {
    return first + std::int64_t(r) * gridDim.x;
  }
  static __device__ std::int64_t after(std::int64_t first, int batches) {
    return row(first, batches * Form::kRows);
  }

  /// What a thread holds of a batch in registers.
  using Batch = Element[Form::kWhere == Rows::kAnew ? 1 : Form::kInputs][Form::kRows][Form::kPacks];

  /// The batch that begins with a row; zeros beyond the matrix.
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
  /// A pack of x (input 0) or of the gradient (1) of a row of the batch, as
  /// float32.
  __device__ void read(const Batch& batch, int input, int r, int p,
                       float (&values)[Form::kCount]) const {
    if constexpr (Form::kWhere == Rows::kAnew)
      to_floats(*slot(stage_, place(input, r, p)), values);
    else
      to_floats(batch[input][r][p], values);
  }
  /// The batch that begins with a row is done with.
  __device__ void leave(std::int64_t first) {
    if constexpr (Form::kWhere == Rows::kAnew) next_into_stage(first);
  }

 private:
  static __device__ constexpr int place(int input, int r, int p) {
    return (input * Form::kRows + r) * Form::kPacks + p;
  }
  /// Those of a block's threads side by side: copies of what lies side by side
  /// stay whole.
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
/// A thread's elements of the weight, or room for those of one pack.
template <class Form>
using HeldWeight = float[kHoldsWeight<Form> ? Form::kPacks : 1][Form::kCount];

/// weight null: ones.
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
