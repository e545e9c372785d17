/// Rows of any length: a block reads its row again for each step and does not hold it.
#pragma once

#include "backends/custom/rows.cuh"

namespace plumbline::custom {

/// Keeps the first packs of a row in shared memory. Each thread uses only its own packs, so that no
/// thread waits for another.
template <class T>
struct KeptPacks {
  static constexpr int kCount = kPackOf<T>;
  Pack<T, kCount>* packs;
  int count;

  __device__ bool has(int p) const { return p < count; }
  /// A single element outside the packs is not kept.
  template <int kOfPack>
  __device__ void put(const Pack<T, kOfPack>& pack, int column) const {
    if constexpr (kOfPack == kCount)
      if (const int p = column / kCount; has(p)) packs[p] = pack;
  }
  /// The value at a column of `row`, of kOfPack elements.
  template <int kOfPack>
  __device__ Pack<T, kOfPack> get(const T* row, int column) const {
    if constexpr (kOfPack == kCount)
      if (const int p = column / kCount; has(p)) return packs[p];
    return load<kOfPack>(row + column);
  }
};

/// A block's row of a matrix whose memory is aligned to 16 bytes. If the row is not aligned: single
/// elements up to the first aligned one, then packs, then the remaining single elements.
template <class T, int kRowThreads>
class PeeledRow {
 public:
  __device__ PeeledRow(const T* matrix, int length)
      : row_(matrix + std::int64_t(blockIdx.x) * length),
        length_(length),
        head_(min(length, int(-std::int64_t(blockIdx.x) * length & (kCount - 1)))),
        packs_((length - head_) / kCount) {}

  static constexpr int kCount = kPackOf<T>;

  /// Calls each(pack, column of its first element) for this thread's packs.
  template <class Each>
  __device__ void visit(const Each& each) const {
    visit_from([&](int p) { return pack(p); }, each);
  }

  /// Visits the same packs again; kept packs come from shared memory.
  template <class Each>
  __device__ void visit_again(const KeptPacks<T>& kept, const Each& each) const {
    visit_from([&](int p) { return kept.has(p) ? kept.packs[p] : pack(p); }, each);
  }

 private:
  template <class Source, class Each>
  __device__ void visit_from(const Source& source, const Each& each) const {
    if (const int column = single(); column >= 0) each(load<1>(row_ + column), column);
    int p = int(threadIdx.x);
    for (; p + (kAtOnce - 1) * kRowThreads < packs_; p += kAtOnce * kRowThreads) {
      Pack<T, kCount> packs[kAtOnce];
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) packs[k] = source(p + k * kRowThreads);
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) each(packs[k], column(p + k * kRowThreads));
    }
    for (; p < packs_; p += kRowThreads) each(source(p), column(p));
  }

  static constexpr int kAtOnce = 2;  // loads in flight in a thread

  __device__ int column(int p) const { return head_ + p * kCount; }
  __device__ Pack<T, kCount> pack(int p) const { return load<kCount>(row_ + column(p)); }

  /// Column of this thread's single element; -1: none. Each end has fewer than kCount of them.
  __device__ int single() const {
    const int thread = int(threadIdx.x);
    if (thread < head_) return thread;
    const int behind = column(packs_) + thread - kCount;
    return thread >= kCount && behind < length_ ? behind : -1;
  }

  const T* row_;
  int length_, head_, packs_;
};

/// Running sum of exp(x - largest), where `largest` is the largest x so far (Milakov & Gimelshein
/// 2018).
struct OnlineSum {
  float largest = Maximum::kNeutral, sum = 0;

  template <class T, int kCount>
  __device__ void add(const Pack<T, kCount>& pack) {
    float most = largest;
#pragma unroll
    for (int i = 0; i < kCount; ++i) most = fmaxf(most, to_float(pack.values[i]));
    sum *= __expf(largest - most);
    largest = most;
#pragma unroll
    for (int i = 0; i < kCount; ++i) sum += __expf(to_float(pack.values[i]) - most);
  }
};

}  // namespace plumbline::custom
