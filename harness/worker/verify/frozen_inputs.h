/// A copy of a launch's inputs, to spoil the inputs and restore them on a chosen stream. Work that
/// is not ordered after that stream then reads spoiled data.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backends/implementation.h"

namespace plumbline {

class FrozenInputs {
 public:
  /// Copies the inputs' present contents on the current stream. Inputs must live as long as this.
  explicit FrozenInputs(const Tensors& inputs);

  /// Sets floating-point inputs to NaN, others to 0. Enqueued.
  void spoil(cudaStream_t stream) const;
  void restore(cudaStream_t stream) const;

 private:
  struct Piece {
    void* data;
    std::size_t bytes;
    int spoilt;  // byte
    at::Tensor kept;
  };
  std::vector<Piece> pieces_;
};

/// Fills results of an earlier launch with bytes that read as NaN, if nobody else uses their
/// memory. A launch that repeats its allocations then finds its results poisoned. Enqueued.
void poison_results(const Tensors& results, cudaStream_t stream);

}  // namespace plumbline
