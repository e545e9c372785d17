/// Launches captured into a CUDA graph, with their memory in a pool of LibTorch's allocator.
///
/// Uses CUDA's own calls, not at::cuda::CUDAGraph: if a capture fails, that class leaves allocator
/// and random generators in the middle of it. The price: launches that draw random numbers cannot
/// be captured.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>
#include <utility>

#include "device/device.h"

namespace plumbline {

/// These launches cannot be in a graph; the reason comes from CUDA or the operator.
class Uncapturable : public std::runtime_error {
 public:
  explicit Uncapturable(const std::string& reason) : std::runtime_error(reason) {}
};

class CapturedLaunches {
 public:
  /// Calls the launch `launches` times on LibTorch's current stream, which records them and does
  /// not run them. Throws Uncapturable; device, stream and allocator remain usable.
  CapturedLaunches(const Launch& launch, int launches);
  ~CapturedLaunches();
  CapturedLaunches(const CapturedLaunches&) = delete;
  CapturedLaunches& operator=(const CapturedLaunches&) = delete;

  /// Enqueues all launches. The results of the last one lie where its capture put them.
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
