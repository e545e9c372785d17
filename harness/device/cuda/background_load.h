/// Work that occupies a declared share of the multiprocessors while something else is measured.
///
/// Below a share of 1, so many blocks stay until the end: what is measured gets the multiprocessors
/// that are left, whatever its priority, because a block that runs is never taken away. At 1, short
/// blocks take all multiprocessors and a backlog of kernels always waits, each of about 1 ms: a
/// launch of higher priority than the load's, which is the device's lowest, goes before the
/// backlog, others behind it. On an H200 either waits for the end of the load's kernel that is
/// running, not only for that of a block, with whatever split of the multiprocessor's memory.
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

  /// Returns once the load runs: "", or why it does not.
  std::string start();
  /// Ends it and waits for that. False where it had ended before, by its own watchdog; the next
  /// start() then makes it last longer.
  bool stop();

 private:
  int blocks_started() const;

  cudaStream_t stream_ = nullptr;
  cudaEvent_t ended_ = nullptr;
  LoadState* state_ = nullptr;  // mapped host memory
  std::size_t shared_bytes_ = 0;
  bool is_backlog_ = false;
  int blocks_ = 0;         // at a time
  double lasts_s_ = 0.02;  // longest
};

}  // namespace plumbline::cuda
