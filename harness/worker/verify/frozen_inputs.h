/// The bytes of a launch's inputs, kept aside: to spoil the inputs, and to put them back on a
/// chosen stream, so that work which is not ordered behind that stream reads what is spoiled.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "backends/implementation.h"

namespace plumbline {

class FrozenInputs {
 public:
  /// Copies what the inputs hold now, on the current stream. Inputs must live as long as this.
  explicit FrozenInputs(const Tensors& inputs);

  /// Floating-point inputs become NaN, the others 0. Enqueued.
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

/// Fills results of an earlier launch with bytes that read as NaN, where nobody else has their
/// memory. A launch whose allocations repeat then finds its results poisoned. Enqueued.
void poison_results(const Tensors& results, cudaStream_t stream);

}  // namespace plumbline
