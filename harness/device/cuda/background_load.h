/// Occupies a declared share of the multiprocessors while something else is measured.
///
/// Below a share of 1, blocks stay until the end. The measured launches get only the other
/// multiprocessors, whatever their priority, because a running block is never preempted. At 1,
/// short blocks take all multiprocessors and a backlog of kernels of about 1 ms each always waits.
/// The load has the device's lowest priority: a launch of higher priority goes before the backlog,
/// other launches behind it. On an H200 either waits for the end of the load's running kernel, not
/// only of a block, for any split of the multiprocessor's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "device/cuda/stream_kernels.h"

namespace plumbline::cuda {

class BackgroundLoad {
 public:
  /// `share` in (0, 1]. Throws DeviceError.
  BackgroundLoad(int ordinal, double share);
  ~BackgroundLoad();
  BackgroundLoad(const BackgroundLoad&) = delete;
  BackgroundLoad& operator=(const BackgroundLoad&) = delete;

  /// Returns when the load runs: "", or why it does not.
  std::string start();
  /// Ends the load and waits for its end. Returns false if its own watchdog had already ended it;
  /// the next start() then makes it last longer.
  bool stop();

 private:
  int blocks_started() const;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t ended_ = nullptr;
  LoadState* state_ = nullptr;  // mapped host memory
  std::size_t shared_bytes_ = 0;
  bool is_backlog_ = false;
  int blocks_ = 0;         // resident at once
  double lasts_s_ = 0.02;  // at most
};

}  // namespace plumbline::cuda
