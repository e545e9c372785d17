#include "backends/nccl/captured_group.h"

#include "device/cuda/kernels.h"

namespace plumbline::nccl {
namespace {

using cuda::check;

class Event {
 public:
  /// On the current GPU.
  Event() {
    check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// `behind` goes on after what was enqueued on `before`.
  void order(cudaStream_t before, cudaStream_t behind) const {
    check(cudaEventRecord(event_, before), "cudaEventRecord");
    check(cudaStreamWaitEvent(behind, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Makes the GPU of a stream the current one.
class OnDeviceOf {
 public:
  explicit OnDeviceOf(cudaStream_t stream) {
    check(cudaGetDevice(&before_), "cudaGetDevice");
    int device = before_;
    check(cudaStreamGetDevice(stream, &device), "cudaStreamGetDevice");
    check(cudaSetDevice(device), "cudaSetDevice");
  }
  ~OnDeviceOf() { cudaSetDevice(before_); }
  OnDeviceOf(const OnDeviceOf&) = delete;
  OnDeviceOf& operator=(const OnDeviceOf&) = delete;

 private:
  int before_ = 0;
};

/// The other streams join the capture of the first, and the first waits for them at its end.
void enqueue_forked(const std::vector<cudaStream_t>& streams,
                    const std::function<void()>& enqueue) {
  const Event fork;
  for (std::size_t i = 1; i < streams.size(); ++i) fork.order(streams.front(), streams[i]);
  enqueue();
  for (std::size_t i = 1; i < streams.size(); ++i) {
    const OnDeviceOf there(streams[i]);
    Event().order(streams[i], streams.front());
  }
}

}  // namespace

CapturedGroup::CapturedGroup(const std::vector<cudaStream_t>& streams,
                             const std::function<void()>& enqueue)
    : stream_(streams.front()) {
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t captured = nullptr;
  try {
    enqueue_forked(streams, enqueue);
  } catch (...) {
    cudaStreamEndCapture(stream_, &captured);
    if (captured != nullptr) cudaGraphDestroy(captured);
    cudaGetLastError();  // the aborted capture's error
    throw;
  }
  check(cudaStreamEndCapture(stream_, &captured), "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t code = cudaGraphInstantiate(&executable, captured, 0);
  cudaGraphDestroy(captured);
  check(code, "cudaGraphInstantiate");
  graph_.reset(executable);
}

void CapturedGroup::launch() const {
  check(cudaGraphLaunch(graph_.get(), stream_), "cudaGraphLaunch");
}

}  // namespace plumbline::nccl
