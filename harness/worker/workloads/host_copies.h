/// Host memory that an instance's inputs are copied from before its launch, and its results copied
/// to behind it, on the instance's stream.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "backends/implementation.h"

namespace plumbline {

class HostCopies {
 public:
  explicit HostCopies(bool is_pinned) : is_pinned_(is_pinned) {}

  /// Keeps what the inputs hold now. Waits for the device.
  void keep(const Tensors& inputs);
  /// Inputs from the host, on the stream.
  void to_device(cudaStream_t stream) const;
  /// Results to the host, on the stream. Memory is made where there is none yet of that size.
  void to_host(const Tensors& results, cudaStream_t stream);
  /// What has come to the host reads as NaN from now on.
  void poison();
  /// Results as they came to the host, on the device again, in the shapes of `results`.
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
