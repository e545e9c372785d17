/// Host memory for an instance with copies: inputs are copied from it before the launch, results to
/// it after the launch, on the instance's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "backends/implementation.h"

namespace plumbline {

class HostCopies {
 public:
  explicit HostCopies(bool is_pinned) : is_pinned_(is_pinned) {}

  /// Keeps the inputs' present contents. Waits for the device.
  void keep(const Tensors& inputs);
  /// Copies the inputs from the host, on the stream.
  void to_device(cudaStream_t stream) const;
  /// Copies the results to the host, on the stream. Allocates memory of that size if there is none.
  void to_host(const Tensors& results, cudaStream_t stream);
  /// Fills received results with NaN.
  void poison();
  /// The received results, copied to the device again, in the shapes of `results`.
  Tensors received(const Tensors& results) const;

 private:
  struct Memory {
    std::shared_ptr<void> host;
    void* device = nullptr;
    std::size_t bytes = 0;
  };
  Memory new_memory(void* device, std::size_t bytes) const;

  bool is_pinned_;
  std::vector<Memory> inputs_, results_;
};

}  // namespace plumbline
