/// Keeps a stream busy: while one batch of launches runs, the next is enqueued.
///
/// For what is measured over many launches by another clock than events: energy, sustained rates.
#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "device/device.h"

namespace plumbline::cuda {

class BackToBack {
 public:
  /// Throws DeviceError, as all of it.
  explicit BackToBack(cudaStream_t stream);
  ~BackToBack();
  BackToBack(const BackToBack&) = delete;
  BackToBack& operator=(const BackToBack&) = delete;

  /// Enqueues a batch, and returns when all batches before it have completed.
  void add(const Launch& launch, int launches);
  /// Returns when all have completed.
  void finish();

 private:
  cudaStream_t stream_;
  std::array<cudaEvent_t, 2> ends_{};  // of the batch at hand and the one before
  int batches_ = 0;
};

}  // namespace plumbline::cuda
