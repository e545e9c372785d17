/// Launches captured into a CUDA graph, their memory in a pool of LibTorch's allocator.
///
/// By CUDA's own calls rather than at::cuda::CUDAGraph, which leaves allocator and random
/// generators in the middle of a capture when one fails. The price: launches that draw random
/// numbers cannot be captured.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "device/device.h"

namespace plumbline {

/// These launches cannot be in a graph, for CUDA's or the operator's reason.
class Uncapturable : public std::runtime_error {
 public:
  explicit Uncapturable(const std::string& reason) : std::runtime_error(reason) {}
};

class CapturedLaunches {
 public:
  /// Calls the launch so many times on LibTorch's current stream, which records and does not run
  /// them. Throws Uncapturable; device, stream and allocator can be used on then.
  CapturedLaunches(const Launch& launch, int launches);
  ~CapturedLaunches();
  CapturedLaunches(const CapturedLaunches&) = delete;
  CapturedLaunches& operator=(const CapturedLaunches&) = delete;

  /// Enqueues all of them. The last one's results lie where its capture has put them.
  void replay() const;
  int launches() const { return launches_; }

 private:
  using PoolId = std::pair<unsigned long long, unsigned long long>;
  std::string record(const Launch& launch, cudaGraph_t& graph);

  int launches_;
  cudaStream_t stream_;
  int ordinal_;
  PoolId pool_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace plumbline
