/// One launch of all ranks as a CUDA graph.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <vector>

namespace plumbline::nccl {

class CapturedGroup {
 public:
  /// Captures what `enqueue` enqueues on these streams; the first is rank 0's, whose GPU is the
  /// current one. It must have run once before: NCCL connects ranks at the first launch, which a
  /// capture must not contain. Throws DeviceError.
  CapturedGroup(const std::vector<cudaStream_t>& streams, const std::function<void()>& enqueue);

  /// On rank 0's stream: it continues when all ranks are done. Throws DeviceError.
  void launch() const;

 private:
  struct Destroy {
    void operator()(cudaGraphExec_t graph) const { cudaGraphExecDestroy(graph); }
  };
  cudaStream_t stream_;
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
};

}  // namespace plumbline::nccl
