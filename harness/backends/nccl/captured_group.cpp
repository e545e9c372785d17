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

/// Makes the GPU of a stream, which does not capture, the current one.
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
class Fork {
 public:
  /// Before the capture: a stream that captures does not say which GPU it has.
  explicit Fork(const std::vector<cudaStream_t>& streams) : streams_(streams) {
    for (const cudaStream_t stream : streams_) {
      const OnDeviceOf there(stream);
      events_.push_back(std::make_unique<Event>());
    }
  }

  void enqueue(const std::function<void()>& work) const {
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      events_.front()->order(streams_.front(), streams_[i]);
    }
    work();
    for (std::size_t i = 1; i < streams_.size(); ++i) {
      events_[i]->order(streams_[i], streams_.front());
    }
  }

 private:
  const std::vector<cudaStream_t>& streams_;
  std::vector<std::unique_ptr<Event>> events_;  // of each stream
};

}  // namespace

CapturedGroup::CapturedGroup(const std::vector<cudaStream_t>& streams,
                             const std::function<void()>& enqueue)
    : stream_(streams.front()) {
  const Fork fork(streams);
  check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  cudaGraph_t captured = nullptr;
  try {
    fork.enqueue(enqueue);
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
