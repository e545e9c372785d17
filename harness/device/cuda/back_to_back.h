/// Keeps a stream busy: enqueues the next batch of launches while one runs.
///
/// For measurements over many launches that do not use events: energy, sustained rates.
#pragma once

#include <cuda_runtime_api.h>

#include <array>

#include "device/device.h"

namespace plumbline::cuda {

class BackToBack {
 public:
  /// All functions throw DeviceError.
  explicit BackToBack(cudaStream_t stream);
  ~BackToBack();
  BackToBack(const BackToBack&) = delete;
  BackToBack& operator=(const BackToBack&) = delete;

  /// Enqueues a batch and returns when all earlier batches have completed.
  void add(const Launch& launch, int launches);
  /// Returns when all batches have completed.
  void finish();

 private:
  cudaStream_t stream_;
  std::array<cudaEvent_t, 2> ends_{};  // of the current batch and the previous one
  int batches_ = 0;
};

}  // namespace plumbline::cuda
